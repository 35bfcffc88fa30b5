/**
 * Restart decisions, as a calculation without an actor around it.
 * @module
 */

import type { Supervision } from "./actor.ts";
import { jitter, type Random } from "./random.ts";

const DEFAULTS: Required<Supervision> = {
  restart: "on_failure",
  backoffMinMs: 100,
  backoffMaxMs: 30_000,
  restartsMax: 10,
  withinMs: 60_000,
  beyond: "stop",
};

/** Most that jitter moves a delay, so that parts that fail together do not return together. */
const JITTER_SHARE = 0.2;

/** What to do about a failure. */
export type Verdict =
  | { readonly type: "restart"; readonly delayMs: number }
  | { readonly type: "stop" }
  | { readonly type: "escalate" };

/** Remembers the restarts of one actor and decides about the next. */
export class RestartPolicy {
  readonly #rules: Required<Supervision>;
  readonly #random: Random;
  #recentMs: number[] = [];

  constructor(supervision: Supervision | undefined, random: Random) {
    this.#rules = { ...DEFAULTS, ...supervision };
    this.#random = random;
  }

  /** The verdict on a failure at `nowMs`; a restart counts against the allowance. */
  onFailure(nowMs: number): Verdict {
    const { restart, restartsMax, withinMs, beyond, backoffMinMs, backoffMaxMs } = this.#rules;
    if (restart === "never") return { type: "stop" };
    this.#recentMs = this.#recentMs.filter((atMs) => nowMs - atMs < withinMs);
    if (this.#recentMs.length >= restartsMax) return { type: beyond };
    const delayMs = Math.min(backoffMinMs * 2 ** this.#recentMs.length, backoffMaxMs);
    this.#recentMs.push(nowMs);
    return { type: "restart", delayMs: jitter(this.#random, delayMs, JITTER_SHARE) };
  }
}
