/**
 * Keeps below the platform's rate limits ahead of time: each kind of call by what its answers say,
 * and all of them together. One for all that a bot does.
 * @module
 */

import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import { RateWindow } from "../rate_window.ts";
import { DiscordRefusedError } from "./errors.ts";
import type { DiscordRequest, RateFacts } from "./link.ts";

/** Documented as 50 a second for a bot; others may send under the same token. */
const BOT_PER_SECOND = 45;
const SECOND_MS = 1_000;
/** A longer wait is for the outbox, which keeps what it cannot send. */
const WAIT_MS_MAX = 30_000;
/** Kinds of calls that are remembered; those without a limit in force go first. */
const KNOWN_MAX = 2_000;
/** The first call under a limit goes alone until its answer is there, but for no longer than this. */
const ANSWER_MS = 2_000;
/** An answer takes its time, and the platform counts from when it left. */
const MARGIN_MS = 50;

/** How kinds of calls begin that put reactions, or take them away: one in 250 ms, in practice. */
const REACTIONS = "REACT ";

/** A call, as far as its rate goes. */
type Paced = Pick<DiscordRequest, "method" | "path">;

/** A limit as far as it is known. */
interface Limit {
  remaining: number;
  readonly resetAtMs: number;
}

/** The pace of one bot. */
export class Pace {
  readonly #clock: Clock;
  readonly #all = new RateWindow(BOT_PER_SECOND, SECOND_MS);
  /** Names of the limits of kinds of calls, once the platform told them. */
  readonly #names = new Map<string, string>();
  readonly #limits = new Map<string, Limit>();
  #heldUntilMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits until a call may go out, and counts it.
   *
   * @throws {DiscordRefusedError} the wait would be long
   * @throws the signal's reason when it aborts first
   */
  async turn(call: Paced, signal: AbortSignal): Promise<void> {
    const { kind } = kindOf(call);
    for (;;) {
      const nowMs = this.#clock.now();
      const name = this.#nameOf(kind);
      const limit = this.#limits.get(name);
      const isInForce = limit !== undefined && limit.resetAtMs > nowMs;
      const limitMs = isInForce && limit.remaining <= 0 ? limit.resetAtMs : -Infinity;
      const waitMs = Math.max(this.#heldUntilMs, this.#all.nextMs(), limitMs) - nowMs;
      if (waitMs <= 0) {
        if (isInForce) limit.remaining--;
        // Kinds can share a limit: how many calls may follow, only the answer to this one tells.
        // Of reactions it is known that one uses the limit up, also where no answer told yet.
        else if (name !== kind || kind.startsWith(REACTIONS)) {
          this.#limits.set(name, { remaining: 0, resetAtMs: nowMs + ANSWER_MS });
        }
        this.#all.count(nowMs);
        return;
      }
      if (waitMs > WAIT_MS_MAX) throw tooSoon(waitMs);
      await sleep(this.#clock, waitMs, signal);
    }
  }

  /** Notes what the answer to a call says. */
  note(call: Paced, rate: RateFacts): void {
    const { kind, major } = kindOf(call);
    const name = `${rate.bucket} ${major}`;
    this.#names.set(kind, name);
    const resetAtMs = this.#clock.now() + rate.resetAfterMs + MARGIN_MS;
    this.#limits.set(name, { remaining: rate.remaining, resetAtMs });
    if (this.#names.size > KNOWN_MAX) this.#forget();
  }

  /** The platform refused a call for its rate. */
  hold(call: Paced, { retryAfterMs = SECOND_MS, isForAll }: DiscordRefusedError): void {
    const untilMs = this.#clock.now() + retryAfterMs;
    if (isForAll) this.#heldUntilMs = Math.max(this.#heldUntilMs, untilMs);
    else this.#limits.set(this.#nameOf(kindOf(call).kind), { remaining: 0, resetAtMs: untilMs });
  }

  #nameOf(kind: string): string {
    return this.#names.get(kind) ?? kind;
  }

  #forget(): void {
    const nowMs = this.#clock.now();
    for (const [kind, name] of this.#names) {
      const limit = this.#limits.get(name);
      if (limit !== undefined && limit.resetAtMs > nowMs) continue;
      this.#limits.delete(name);
      this.#names.delete(kind);
    }
  }
}

const MAJOR = /^\/(?:channels|guilds)\/\d+|^\/webhooks\/\d+\/[^/]+/;

/** Calls are counted by path, in which only the ids of channels, servers and webhooks count. */
export function kindOf({ method, path }: Paced): { readonly kind: string; readonly major: string } {
  const major = MAJOR.exec(path)?.[0] ?? "";
  const rest = path.slice(major.length).replace(/\/reactions\/.*/, "/reactions/:emoji")
    .replace(/\d{15,}/g, ":id").replace(/^\/interactions\/:id\/[^/]+/, "/interactions/:id/:token");
  // Reactions come and go under one limit, which the first answer would tell too late.
  const doing = rest.endsWith("/reactions/:emoji") ? REACTIONS : `${method} `;
  return { kind: `${doing}${major}${rest}`, major };
}

function tooSoon(waitMs: number): DiscordRefusedError {
  return new DiscordRefusedError("call Discord", {
    status: 429,
    platformCode: 0,
    platformMessage: "an earlier call was one too many",
    retryAfterMs: waitMs,
  });
}
