/**
 * All hooks of a gateway: who is told of what, who is asked, and what of it they see.
 * @module
 */

import { redactObject } from "../../config/redact.ts";
import type { Clock } from "../../kernel/clock.ts";
import { sleep } from "../../kernel/clock.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { Hook, HookError, type HookOptions } from "./hook.ts";
import type { HookedCall, HookNews, HooksPort } from "./hook_event.ts";

/** What is still to be told when the gateway stops has this long. */
const LAST_NEWS_MS = 2_000;

/** What they are made of. */
export interface HooksOptions {
  /** In the order in which they are asked. */
  readonly hooks: readonly HookOptions[];
  readonly clock: Clock;
  /** Values that no hook sees, longest first; looked up for each event. */
  readonly secrets: readonly string[];
}

/** Disposing lets them hear what waits, for a moment, and ends what they do. */
export class Hooks implements HooksPort, AsyncDisposable {
  readonly #hooks: readonly Hook[];
  readonly #clock: Clock;
  readonly #options: Pick<HooksOptions, "secrets">;
  readonly #ending = new AbortController();
  #isClosed = false;

  constructor(options: HooksOptions) {
    const { hooks, clock } = options;
    const { signal } = this.#ending;
    this.#hooks = hooks.map((options) => new Hook(options, clock, signal));
    this.#clock = clock;
    this.#options = options;
  }

  tell(news: HookNews): void {
    if (this.#isClosed) return;
    const hearing = this.#hearing(news);
    if (hearing.length === 0) return;
    const event = this.#eventOf(news);
    for (const hook of hearing) hook.tell(event, laneOf(news));
  }

  async refusal(call: HookedCall, signal: AbortSignal): Promise<string | null> {
    const news = { ...call, event: "tool_before" as const };
    const hearing = this.#hearing(news);
    if (hearing.length === 0) return null;
    const event = this.#eventOf(news);
    for (const hook of hearing) {
      const reason = await hook.decide(event, laneOf(news), signal);
      if (reason !== null) return reason;
    }
    return null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const settled = Promise.all(this.#hooks.map((hook) => hook.settled()));
    const enough = new AbortController();
    const patience = sleep(this.#clock, LAST_NEWS_MS, enough.signal).catch(() => {});
    await Promise.race([settled, patience]);
    enough.abort();
    this.#ending.abort(new HookError("the gateway stops"));
    await settled;
  }

  #hearing(news: HookNews): readonly Hook[] {
    const tool = "tool" in news ? news.tool : undefined;
    return this.#hooks.filter((hook) => hook.hears(news.event, tool));
  }

  #eventOf(news: HookNews): JsonObject {
    return redactObject({ ...news, atMs: this.#clock.now() }, this.#options.secrets);
  }
}

/** What is told in order: all of a conversation, and all about a channel's connection. */
function laneOf(news: HookNews): string {
  return "session" in news ? `session ${news.session}` : `channel ${news.channel}`;
}
