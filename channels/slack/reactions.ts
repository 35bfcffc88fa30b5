/**
 * The emoji on a person's message: one when it was accepted, another while it waits for its turn,
 * taken away when the answer is done, and a last one then. Reactions are a courtesy: their failures
 * stop nothing.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Settled } from "../channel.ts";
import { KeyedTurns } from "../keyed_turns.ts";
import type { SlackApi } from "./api.ts";
import { isRefusedFor, SlackRefusedError } from "./errors.ts";
import { placeOf } from "./receive/message.ts";

const logger = getLogger(["troupe", "slack", "reactions"]);

/** What reactions need; names are without colons. */
export interface ReactionsOptions {
  readonly api: SlackApi;
  /** On receipt; null for none. */
  readonly reactEmoji: string | null;
  /** Instead of it while the message waits for its turn; null leaves it as it is. */
  readonly queuedEmoji: string | null;
  /** When the answer is done; null for none. */
  readonly doneEmoji: string | null;
  readonly signal: AbortSignal;
}

/** It is as we want it already. */
const DONE_REASONS: ReadonlySet<string> = new Set([
  "already_reacted",
  "no_reaction",
  "message_not_found",
]);
/** More open messages than one gateway answers at a time. */
const OPEN_MAX = 2_000;
const UNKNOWN_EMOJI = new Set(["invalid_name"]);

/** All reactions of one channel. */
export class Reactions {
  readonly #options: ReactionsOptions;
  readonly #turns = new KeyedTurns();
  /** Messages that are not settled, and the emoji that they should have. */
  readonly #open = new Map<string, string | null>();
  readonly #unknown = new Set<string>();

  constructor(options: ReactionsOptions) {
    this.#options = options;
  }

  /** Shows that a message was accepted; returns at once. */
  acknowledge(platformId: string): void {
    this.#open.set(platformId, null);
    const [oldest] = this.#open.keys();
    if (this.#open.size > OPEN_MAX && oldest !== undefined) this.#open.delete(oldest);
    this.#swap(platformId, this.#options.reactEmoji);
  }

  /** Shows that a message waits for its turn; returns at once. */
  waits(platformId: string): void {
    if (this.#options.queuedEmoji !== null) this.#swap(platformId, this.#options.queuedEmoji);
  }

  /** Shows that a message that waited is worked on; returns at once. */
  begins(platformId: string): void {
    if (this.#options.queuedEmoji !== null) this.#swap(platformId, this.#options.reactEmoji);
  }

  /** Shows how messages ended; never rejects. */
  async settle(settles: readonly Settled[], signal: AbortSignal): Promise<void> {
    await Promise.all(settles.map((settled) => this.#settle(settled, signal)));
  }

  async #settle({ platformId, outcome }: Settled, signal: AbortSignal): Promise<void> {
    const { reactEmoji, queuedEmoji, doneEmoji } = this.#options;
    // What an earlier life of the channel put there may be either.
    const leftovers = this.#open.has(platformId)
      ? [this.#open.get(platformId) ?? null]
      : [reactEmoji, queuedEmoji];
    this.#open.delete(platformId);
    await this.#turns.run(platformId, async () => {
      for (const emoji of leftovers) await this.#change("unreact", platformId, emoji, signal);
      if (outcome === "done") await this.#change("react", platformId, doneEmoji, signal);
    });
  }

  /** The new one comes before the old one goes, so that the message is never without. */
  #swap(platformId: string, emoji: string | null): void {
    const before = this.#open.get(platformId);
    if (before === undefined || before === emoji) return;
    this.#open.set(platformId, emoji);
    const { signal } = this.#options;
    void this.#turns.run(platformId, async () => {
      await this.#change("react", platformId, emoji, signal);
      await this.#change("unreact", platformId, before, signal);
    });
  }

  /** Never rejects. */
  async #change(
    what: "react" | "unreact",
    platformId: string,
    emoji: string | null,
    signal: AbortSignal,
  ): Promise<void> {
    const place = placeOf(platformId);
    if (emoji === null || place === null || this.#unknown.has(emoji)) return;
    try {
      await this.#options.api[what](place.channel, place.ts, emoji, signal);
    } catch (error) {
      if (isRefusedFor(error, DONE_REASONS) || signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      const isLasting = isRefusedFor(error, UNKNOWN_EMOJI) ||
        (error instanceof SlackRefusedError && error.neededScope !== undefined);
      if (isLasting) this.#unknown.add(emoji);
      logger[isLasting ? "warn" : "debug"]("No reaction {emoji} on {platformId}: {reason}", {
        emoji,
        platformId,
        reason,
      });
    }
  }
}
