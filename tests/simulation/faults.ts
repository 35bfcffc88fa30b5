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
    return this.#plan.outages.find((outage) =>
      outage.part === part && elapsedMs >= outage.fromMs && elapsedMs < outage.untilMs
    );
  }

  get #elapsedMs(): number {
    return this.#clock.now() - this.#startMs;
  }
}
