/**
 * What happens in a random world: who sends what to whom, and what is stopped when.
 * @module
 */

import fc from "fast-check";

/** What a sender sends, one after the other. */
export interface PlannedMessage {
  readonly receiver: number;
  /** What the receiver does with it. */
  readonly deed: "note" | "crash" | "work" | "answer" | "keep_silent" | "stop_self";
  /** How long the work takes, or the sender pauses before it. */
  readonly ms: number;
}

/** When a receiver is stopped from outside. */
export interface PlannedStop {
  readonly receiver: number;
  readonly atMs: number;
  readonly mode: "now" | "drain";
}

/** A whole run; the same plan makes the same run. */
export interface Plan {
  readonly seed: number;
  readonly delayShare: number;
  readonly mailboxMax: number;
  readonly overflow: "refuse" | "drop_oldest";
  readonly senders: readonly (readonly PlannedMessage[])[];
  readonly stops: readonly PlannedStop[];
}

/** Actors that receive. */
export const RECEIVERS = 3;

const receiver = fc.nat({ max: RECEIVERS - 1 });

/** Plans with everything in them, shrinking towards few messages and no delays. */
export const plans: fc.Arbitrary<Plan> = fc.record({
  seed: fc.integer(),
  delayShare: fc.constantFrom(0, 0.1, 0.5),
  mailboxMax: fc.integer({ min: 1, max: 8 }),
  overflow: fc.constantFrom("refuse" as const, "drop_oldest" as const),
  senders: fc.array(
    fc.array(
      fc.record({
        receiver,
        deed: fc.oneof(
          { weight: 30, arbitrary: fc.constant("note" as const) },
          {
            weight: 20,
            arbitrary: fc.constantFrom(
              "crash" as const,
              "work" as const,
              "answer" as const,
              "keep_silent" as const,
            ),
          },
          { weight: 1, arbitrary: fc.constant("stop_self" as const) },
        ),
        ms: fc.nat({ max: 200 }),
      }),
      { minLength: 5, maxLength: 40, size: "max" },
    ),
    { minLength: 1, maxLength: 4, size: "max" },
  ),
  stops: fc.array(
    fc.record({
      receiver,
      atMs: fc.nat({ max: 500 }),
      mode: fc.constantFrom("now" as const, "drain" as const),
    }),
    { maxLength: 3 },
  ),
});
