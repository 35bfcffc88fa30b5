/**
 * What goes wrong, and when: one place that all parts of the world ask.
 * @module
 */

import type { Clock } from "../../actors/kernel/clock.ts";
import type { Chance } from "./chance.ts";
import type { FailingPart, Outage, WorldPlan } from "./plan.ts";

/** Decides about faults. Once the world is calm there are none. */
export class Faults {
  readonly #clock: Clock;
  readonly #startMs: number;
  readonly #plan: Pick<WorldPlan, "outages" | "calmFromMs">;
  readonly #chance: Chance;
  /** Those that were not planned. */
  readonly #sudden: Outage[] = [];

  constructor(clock: Clock, plan: Pick<WorldPlan, "outages" | "calmFromMs">, chance: Chance) {
    this.#clock = clock;
    this.#startMs = clock.now();
    this.#plan = plan;
    this.#chance = chance;
  }

  /** Nothing goes wrong any more. */
  get isCalm(): boolean {
    return this.#elapsedMs >= this.#plan.calmFromMs;
  }

  /** Whether a part fails at any time of the run, as far as is known. */
  failsEver(part: FailingPart): boolean {
    return this.#outages.some((outage) => outage.part === part);
  }

  /** Lets a part fail from now on; not beyond the calm. */
  breakFor(part: FailingPart, lastsMs: number): void {
    const fromMs = this.#elapsedMs;
    const untilMs = Math.min(fromMs + lastsMs, this.#plan.calmFromMs);
    this.#sudden.push({ part, fromMs, untilMs, share: 1 });
  }

  /** Whether a fault that happens now and then happens now. */
  happens(share: number): boolean {
    return !this.isCalm && this.#chance.happens(share);
  }

  /** Whether a call of a part fails now, because the part does. */
  fails(part: FailingPart): boolean {
    const outage = this.#outage(part);
    return outage !== undefined && this.#chance.happens(outage.share);
  }

  #outage(part: FailingPart): Outage | undefined {
    const elapsedMs = this.#elapsedMs;
    return this.#outages.find((outage) =>
      outage.part === part && elapsedMs >= outage.fromMs && elapsedMs < outage.untilMs
    );
  }

  get #outages(): readonly Outage[] {
    return [...this.#plan.outages, ...this.#sudden];
  }

  get #elapsedMs(): number {
    return this.#clock.now() - this.#startMs;
  }
}
