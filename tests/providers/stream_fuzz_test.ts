import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import type { ChatEvent, ChatResponse, Provider } from "../../providers/provider.ts";
import { newRendering, type Protocol } from "../simulators/model/protocol.ts";
import { withEnding } from "../simulators/model/rendering.ts";
import type { StreamStep } from "../simulators/model_server.ts";
import { askAll } from "../support/chat.ts";
import { answerFetch, type Bytes, inPieces } from "../support/fetch_stub.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { connect, STALL_MS } from "../support/providers.ts";

interface Speaker {
  readonly protocol: Protocol;
  connect(clock: ManualClock): Provider;
}

const baseUrl = "http://127.0.0.1:1/v1";
const apiType = "responses";
const SPEAKERS: readonly Speaker[] = [
  { protocol: "chat_completions", connect: (clock) => connect({ baseUrl, clock }) },
  {
    protocol: "messages",
    connect: (clock) => connect({ baseUrl, clock, vendor: "anthropic" }),
  },
  {
    protocol: "responses",
    connect: (clock) => connect({ baseUrl, clock, vendor: "openai", section: { apiType } }),
  },
];

/** What happens to a stream on its way. */
type Harm =
  | { readonly type: "none" }
  /** The rest never comes: the body ends, breaks, or stays silent. */
  | { readonly type: "cut"; readonly at: number; readonly how: "end" | "break" | "stall" }
  | { readonly type: "flip"; readonly at: number; readonly to: number }
  | { readonly type: "drop" | "double"; readonly event: number }
  | { readonly type: "swap"; readonly event: number; readonly with: number };

interface Story {
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
const cut: fc.Arbitrary<Harm> = fc.record({
  type: fc.constant("cut" as const),
  at: place,
  how: fc.constantFrom("end" as const, "break" as const, "stall" as const),
});
const damage: fc.Arbitrary<Harm> = fc.oneof(
  fc.record({ type: fc.constant("flip" as const), at: place, to: fc.nat({ max: 255 }) }),
  fc.record({ type: fc.constantFrom("drop" as const, "double" as const), event: place }),
  fc.record({ type: fc.constant("swap" as const), event: place, with: place }),
);

function storyWith(harm: fc.Arbitrary<Harm>): fc.Arbitrary<Story> {
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

function bodyOf(bytes: Bytes, { sizes, pauses, harm }: Story): ReadableStream<Bytes> {
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

/** What comes of a story; the test fails when that takes forever. */
async function play(speaker: Speaker, story: Story): Promise<readonly ChatEvent[]> {
  const { harm } = story;
  const events = damaged(eventsOf(speaker.protocol, story.steps), harm);
  const bytes = new TextEncoder().encode(events.join(""));
  if (harm.type === "flip") bytes[harm.at % bytes.length] = harm.to;
  using _ = answerFetch(bodyOf(bytes, story));
  const clock = new ManualClock();
  let seen: readonly ChatEvent[] | undefined;
  const asking = askAll(speaker.connect(clock)).then((all) => seen = all);
  for (let turn = 0; seen === undefined && turn < 1_000; turn++) {
    if (turn > 100) await clock.advance(STALL_MS);
    else await setImmediate();
  }
  assert.ok(seen !== undefined, "the call never ended");
  await asking;
  assert.equal(clock.pending, 0);
  return seen;
}

/** What holds whatever happened. */
function checkEvents(events: readonly ChatEvent[]): ChatResponse | undefined {
  const last = events.at(-1);
  assert.ok(last?.type === "finished" || last?.type === "failed", JSON.stringify(last));
  const shown = events.slice(0, -1);
  assert.ok(shown.every(({ type }) => type === "text" || type === "reasoning"));
  if (last.type === "failed") return undefined;
  const text = shown.map((event) => event.type === "text" ? event.text : "").join("");
  assert.equal(last.response.content ?? "", text, "what was shown is what was said, once");
  for (const { call, parsed } of last.response.calls) {
    if (parsed.state === "ok") assert.deepEqual(parsed.value, JSON.parse(call.function.arguments));
  }
  return last.response;
}

/** The right answer. */
async function rightAnswer(speaker: Speaker, steps: readonly StreamStep[]): Promise<ChatResponse> {
  const story: Story = { steps, sizes: [], pauses: new Set(), harm: { type: "none" } };
  const response = checkEvents(await play(speaker, story));
  assert.ok(response !== undefined);
  return response;
}

for (const speaker of SPEAKERS) {
  Deno.test(`Streams of ${speaker.protocol} are read alike however they are cut and delayed`, async () => {
    const harmless = storyWith(fc.constant({ type: "none" }));
    await fc.assert(
      fc.asyncProperty(harmless, async (story) => {
        const response = checkEvents(await play(speaker, story));
        assert.deepEqual(response, await rightAnswer(speaker, story.steps));
      }),
      { numRuns: 60 },
    );
  });

  Deno.test(`Streams of ${speaker.protocol} that are cut give the right answer or an error`, async () => {
    await fc.assert(
      fc.asyncProperty(storyWith(cut), async (story) => {
        const events = await play(speaker, story);
        const response = checkEvents(events);
        if (response === undefined) {
          const last = events.at(-1);
          assert.ok(last?.type === "failed");
          assert.equal(last.error.recovery, "retry");
          return;
        }
        const { usage: _, ...right } = await rightAnswer(speaker, story.steps);
        // The counts may come behind the last word.
        assert.partialDeepStrictEqual(response, right);
      }),
      { numRuns: 150 },
    );
  });

  Deno.test(`Streams of ${speaker.protocol} that are damaged end, and show text once`, async () => {
    await fc.assert(
      fc.asyncProperty(storyWith(damage), async (story) => {
        checkEvents(await play(speaker, story));
      }),
      { numRuns: 150 },
    );
  });
}
