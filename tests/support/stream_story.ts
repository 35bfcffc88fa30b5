/**
 * Answers of models as streams of bytes, and what may happen to them on their way.
 * @module
 */

import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { newRendering, type Protocol } from "../simulators/model/protocol.ts";
import { withEnding } from "../simulators/model/rendering.ts";
import type { StreamStep } from "../simulators/model_server.ts";
import { type Bytes, inPieces } from "./fetch_stub.ts";

/** What happens to a stream on its way. */
export type Harm =
  | { readonly type: "none" }
  /** The rest never comes: the body ends, breaks, or stays silent. */
  | { readonly type: "cut"; readonly at: number; readonly how: "end" | "break" | "stall" }
  | { readonly type: "flip"; readonly at: number; readonly to: number }
  | { readonly type: "drop" | "double"; readonly event: number }
  | { readonly type: "swap"; readonly event: number; readonly with: number };

/** A stream: what the model says, and how it comes. */
export interface Story {
  readonly steps: readonly StreamStep[];
  readonly sizes: readonly number[];
  /** Pieces before which time passes. */
  readonly pauses: ReadonlySet<number>;
  readonly harm: Harm;
}

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
const parameters = fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 3,
}).map((value) => JSON.stringify(value))
  // Left out of parsed arguments, for safety's sake.
  .filter((json) => !json.includes("__proto__"));

/** A call in pieces. */
function callSteps(index: number, json: string, cut: number): readonly StreamStep[] {
  const middle = cut % (json.length + 1);
  return [
    {
      type: "calls",
      deltas: [{ index, id: `call_${index}`, name: "f", arguments: json.slice(0, middle) }],
    },
    { type: "calls", deltas: [{ index, arguments: json.slice(middle) }] },
  ];
}

const steps: fc.Arbitrary<readonly StreamStep[]> = fc.tuple(
  fc.array(text, { maxLength: 3 }),
  fc.array(text, { maxLength: 5 }),
  fc.array(fc.tuple(parameters, fc.nat({ max: 40 })), { maxLength: 3 }),
).map(([thoughts, words, calls]) => [
  ...thoughts.map((text): StreamStep => ({ type: "reasoning", text })),
  ...words.map((text): StreamStep => ({ type: "text", text })),
  ...calls.flatMap(([json, cut], index) => callSteps(index, json, cut)),
]);

const place = fc.nat({ max: 3_000 });
/** The rest is missing. */
export const cut: fc.Arbitrary<Harm> = fc.record({
  type: fc.constant("cut" as const),
  at: place,
  how: fc.constantFrom("end" as const, "break" as const, "stall" as const),
});
/** Bytes or events are not those that were sent. */
export const damage: fc.Arbitrary<Harm> = fc.oneof(
  fc.record({ type: fc.constant("flip" as const), at: place, to: fc.nat({ max: 255 }) }),
  fc.record({ type: fc.constantFrom("drop" as const, "double" as const), event: place }),
  fc.record({ type: fc.constant("swap" as const), event: place, with: place }),
);

/** Stories of streams to which `harm` happens. */
export function storyWith(harm: fc.Arbitrary<Harm>): fc.Arbitrary<Story> {
  return fc.record({
    steps,
    sizes: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 }),
    pauses: fc.array(fc.nat({ max: 20 }), { maxLength: 4 }).map((places) => new Set(places)),
    harm,
  });
}

/** The events of an answer as text, each with its framing. */
function eventsOf(protocol: Protocol, steps: readonly StreamStep[]): readonly string[] {
  const rendering = newRendering(protocol, "m");
  const whole = withEnding({ steps }, true).map((step) => rendering.step(step)).join("");
  return whole.split(/(?<=\n\n)/);
}

function damaged(events: readonly string[], harm: Harm): readonly string[] {
  switch (harm.type) {
    case "drop":
      return events.toSpliced(harm.event % events.length, 1);
    case "double": {
      const at = harm.event % events.length;
      return events.toSpliced(at, 0, events[at] ?? "");
    }
    case "swap": {
      const [one, other] = [harm.event % events.length, harm.with % events.length];
      return events.with(one, events[other] ?? "").with(other, events[one] ?? "");
    }
    case "none":
    case "cut":
    case "flip":
      return events;
  }
}

/** The body of an answer as it arrives. */
export function bodyOf(protocol: Protocol, story: Story): ReadableStream<Bytes> {
  const { steps, sizes, pauses, harm } = story;
  const events = damaged(eventsOf(protocol, steps), harm);
  const bytes = new TextEncoder().encode(events.join(""));
  if (harm.type === "flip") bytes[harm.at % bytes.length] = harm.to;
  return arriving(bytes, { sizes, pauses, harm });
}

function arriving(
  bytes: Bytes,
  { sizes, pauses, harm }: Omit<Story, "steps">,
): ReadableStream<Bytes> {
  const kept = harm.type === "cut" ? bytes.slice(0, harm.at % bytes.length) : bytes;
  const pieces = inPieces(kept, sizes);
  let next = 0;
  return new ReadableStream<Bytes>({
    async pull(controller) {
      if (pauses.has(next)) await setImmediate();
      const piece = pieces[next++];
      if (piece !== undefined) return controller.enqueue(piece);
      if (harm.type !== "cut" || harm.how === "end") return controller.close();
      if (harm.how === "break") return controller.error(new TypeError("connection reset"));
      // Silence: the rest never comes.
    },
  });
}
