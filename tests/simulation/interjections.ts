/**
 * What people of a simulated world write in a hurry: a command while a turn of their chat and a
 * commit are under way, and at once a message after it.
 * @module
 */

import type { Chance } from "./chance.ts";
import type { PlannedMessage, WorldPlan } from "./plan.ts";

/** What they take from their world. */
export interface InterjectionsOptions {
  readonly plan: Pick<WorldPlan, "interjections" | "messages">;
  readonly chance: Chance;
  /** @param index its place among all messages */
  readonly schedule: (message: PlannedMessage, index: number) => void;
}

/** As many as the plan says. */
export class Interjections {
  readonly #options: InterjectionsOptions;
  #left: number;
  /** After those of the plan and its last word. */
  #nextIndex: number;

  constructor(options: InterjectionsOptions) {
    this.#options = options;
    this.#left = options.plan.interjections;
    this.#nextIndex = options.plan.messages.length + 1;
  }

  /**
   * A commit begins to take seconds. It takes in both, and with them perhaps a step of the turn,
   * which then looks for follow-ups before its session has heard of the command.
   *
   * @param sessions those with a turn under way
   */
  onSlowCommit(sessions: readonly string[]): void {
    const { chance } = this.#options;
    const [chat] = sessions.filter((key) => /^(?:stream|plain):chat\d+$/.test(key));
    if (this.#left === 0 || chat === undefined) return;
    this.#left--;
    const atMs = chance.between(0, 600);
    this.#write(chat, chance.pick(["/stop", "/new"]), atMs);
    this.#write(chat, `#m${this.#nextIndex + 1}`, atMs + chance.between(0, 300));
  }

  #write(chat: string, text: string, atMs: number): void {
    const [channel = "", chatId = ""] = chat.split(":");
    const rest = { media: [], isDraft: false, takenBackAfterMs: undefined };
    this.#options.schedule({ atMs, channel, chatId, text, ...rest }, this.#nextIndex++);
  }
}
