import assert from "node:assert/strict";
import fc from "fast-check";
import { plainProviderError } from "../../providers/failures.ts";
import { OMITTED_IMAGE } from "../../providers/images.ts";
import {
  type ChatEvent,
  type ChatMessage,
  type ChatRequest,
  type ChatResponse,
  type Provider,
  ProviderError,
  type ProviderFailure,
} from "../../providers/provider.ts";
import { type RetryOptions, withRetry } from "../../providers/retry.ts";
import { askAll, chatRequest, errorOf, responseOf } from "../support/chat.ts";
import { ManualClock } from "../support/manual_clock.ts";

const RESPONSE: ChatResponse = {
  content: "ok",
  calls: [],
  finishReason: "stop",
  usage: null,
  reasoning: null,
  thinkingBlocks: [],
};
const FINISHED: ChatEvent = { type: "finished", response: RESPONSE };
const TEXT: ChatEvent = { type: "text", text: "half" };

/** A provider that plays one list of events a call, the last one again and again. */
class Played implements Provider {
  readonly name = "played";
  readonly requests: ChatRequest[] = [];
  readonly #plays: readonly (readonly ChatEvent[])[];

  constructor(...plays: readonly (readonly ChatEvent[])[]) {
    this.#plays = plays;
  }

  async *chat(request: ChatRequest): AsyncGenerator<ChatEvent> {
    this.requests.push(request);
    const play = this.#plays[this.requests.length - 1] ?? this.#plays.at(-1) ?? [];
    for (const event of play) yield await Promise.resolve(event);
  }
}

function failure(
  code: ProviderFailure,
  detail: { message?: string; status?: number; retryAfterMs?: number; givesUp?: boolean } = {},
): ChatEvent {
  const plain = plainProviderError(code, detail.message ?? code);
  const error = new ProviderError(plain.message, {
    code,
    recovery: detail.givesUp ? "give_up" : plain.recovery,
    userText: plain.userText,
    status: detail.status,
    retryAfterMs: detail.retryAfterMs,
  });
  return { type: "failed", error };
}

const BUSY = [failure("provider_overloaded")];

/** Runs a call to its end on simulated time. */
async function run(
  provider: Provider,
  options: Partial<RetryOptions> & { messages?: readonly ChatMessage[] } = {},
): Promise<readonly ChatEvent[]> {
  const { messages, ...rest } = options;
  const clock = new ManualClock();
  const retrying = withRetry(provider, { clock, random: { next: () => 0 }, ...rest });
  let isDone = false;
  const events = askAll(retrying, messages && { messages }).finally(() => isDone = true);
  while (!isDone) await clock.advance(clock.nextDueMs === undefined ? 0 : 60_000);
  assert.equal(clock.pending, 0);
  return await events;
}

function waits(events: readonly ChatEvent[]): readonly number[] {
  return events.flatMap((event) => event.type === "waiting" ? [event.delayMs] : []);
}

function kinds(events: readonly ChatEvent[]): readonly string[] {
  return events.map(({ type }) => type);
}

Deno.test("withRetry passes an answer on as it comes", async () => {
  const events = await run(new Played([TEXT, FINISHED]));
  assert.deepEqual(events, [TEXT, FINISHED]);
});

Deno.test("withRetry asks again after a failure that may pass", async () => {
  const provider = new Played([failure("provider_rate_limited")], [FINISHED]);
  const events = await run(provider);
  assert.deepEqual(waits(events), [1_000]);
  assert.equal(responseOf(events), RESPONSE);
  assert.equal(provider.requests.length, 2);
});

Deno.test("withRetry gives up after three retries and tells the last error", async () => {
  const provider = new Played(BUSY, BUSY, BUSY, [failure("provider_timeout")]);
  const events = await run(provider);
  assert.deepEqual(waits(events), [1_000, 2_000, 4_000]);
  assert.equal(errorOf(events).code, "provider_timeout");
  assert.equal(provider.requests.length, 4);
});

Deno.test.each<[ProviderFailure, boolean]>([
  ["provider_rate_limited", true],
  ["provider_overloaded", true],
  ["provider_timeout", true],
  ["provider_connection", true],
  ["provider_empty", true],
  ["provider_auth", false],
  ["provider_quota", false],
  ["provider_bad_request", false],
  ["provider_context_too_long", false],
  ["provider_content_filter", false],
  ["provider_unconfigured", false],
])("withRetry on %s: asks again %s", async (code, isRetried) => {
  const provider = new Played([failure(code)], [FINISHED]);
  await run(provider);
  assert.equal(provider.requests.length, isRetried ? 2 : 1);
});

Deno.test("withRetry follows a vendor that says not to ask again", async () => {
  const provider = new Played([failure("provider_rate_limited", { givesUp: true })], [FINISHED]);
  assert.deepEqual(waits(await run(provider)), []);
  assert.equal(provider.requests.length, 1);
});

Deno.test.each([[200, [200]], [9_000, [9_000]], [45_000, [45_000, 15_000]], [60_000, [
  60_000,
  30_000,
]]])(
  "withRetry waits the %s ms that the vendor asks for",
  async (retryAfterMs, expected) => {
    const provider = new Played([failure("provider_rate_limited", { retryAfterMs })], [FINISHED]);
    assert.deepEqual(waits(await run(provider)), expected);
  },
);

Deno.test.each([
  [61_000, "61 seconds"],
  [3_600_000, "60 minutes"],
  [86_400_000, "24 hours"],
  [604_800_000, "7 days"],
  [1e30, "more than a year"],
])("withRetry fails at once when it should wait for %s ms, and says: %s", async (wait, words) => {
  const retryAfterMs = Number(wait);
  const provider = new Played([failure("provider_rate_limited", { retryAfterMs })]);
  const error = errorOf(await run(provider));
  assert.equal(provider.requests.length, 1);
  assert.ok(error.userText.includes(`asks to wait ${words} before`), error.userText);
  assert.equal(error.code, "provider_rate_limited");
  assert.equal(error.recovery, "give_up");
});

Deno.test("withRetry adds at most a fifth to a wait and takes nothing off", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      async (next) => {
        const random = { next: () => next };
        const [first = 0, second = 0] = waits(
          await run(new Played(BUSY, BUSY, [FINISHED]), { random }),
        );
        assert.ok(first >= 1_000 && first <= 1_200, String(first));
        assert.ok(second >= 2_000 && second <= 2_400, String(second));
      },
    ),
    { numRuns: 20 },
  );
});

Deno.test("withRetry in persistent mode ends with ten equal errors", async () => {
  const provider = new Played(BUSY);
  const events = await run(provider, { mode: "persistent" });
  const rest = Array<number>(7).fill(4_000);
  assert.deepEqual(waits(events), [1_000, 2_000, ...rest]);
  assert.equal(provider.requests.length, 10);
});

Deno.test("withRetry in persistent mode goes on while the errors differ", async () => {
  const plays = Array.from({ length: 25 }, (_, index) => [
    failure("provider_overloaded", { message: `error ${index}` }),
  ]);
  const provider = new Played(...plays, [FINISHED]);
  responseOf(await run(provider, { mode: "persistent" }));
  assert.equal(provider.requests.length, 26);
});

Deno.test("withRetry in persistent mode cuts long waits down to a minute", async () => {
  const busy = [failure("provider_rate_limited", { retryAfterMs: 3_600_000 })];
  const events = await run(new Played(busy, [FINISHED]), { mode: "persistent" });
  assert.deepEqual(waits(events), [60_000, 30_000]);
});

Deno.test("withRetry voids the text of an attempt that broke before it asks again", async () => {
  const broken = [TEXT, failure("provider_connection")];
  const events = await run(new Played(broken, [TEXT, FINISHED]));
  assert.deepEqual(kinds(events), ["text", "waiting", "restarted", "text", "finished"]);
});

Deno.test("withRetry voids nothing where nothing was shown", async () => {
  const events = await run(new Played(BUSY, [TEXT, failure("provider_timeout")], BUSY, [FINISHED]));
  assert.deepEqual(kinds(events), [
    "waiting",
    "text",
    "waiting",
    "restarted",
    "waiting",
    "finished",
  ]);
});

Deno.test("withRetry asks again when a provider ends without a last event", async () => {
  const provider = new Played([TEXT], [FINISHED]);
  responseOf(await run(provider));
  assert.equal(provider.requests.length, 2);
});

Deno.test("withRetry stops waiting when its caller aborts", async () => {
  const clock = new ManualClock();
  const provider = new Played(BUSY);
  const controller = new AbortController();
  const retrying = withRetry(provider, { clock, random: { next: () => 0 } });
  const events: ChatEvent[] = [];
  for await (const event of retrying.chat(chatRequest(), controller.signal)) {
    events.push(event);
    if (event.type === "waiting") controller.abort();
  }
  assert.equal(errorOf(events).code, "provider_aborted");
  assert.equal(provider.requests.length, 1);
  assert.equal(clock.pending, 0);
});

Deno.test("withRetry does not ask again after an abort, whatever the failure", async () => {
  const provider = new Played(BUSY);
  const retrying = withRetry(provider, { clock: new ManualClock(), random: { next: () => 0 } });
  assert.equal(errorOf(await askAll(retrying, {}, AbortSignal.abort())).code, "provider_aborted");
  assert.equal(provider.requests.length, 1);
});

const WITH_IMAGE: readonly ChatMessage[] = [{
  role: "user",
  content: [
    {
      type: "image_url",
      image_url: { url: "data:image/png;base64,AA" },
      _meta: { path: "/media/test.png" },
    },
    { type: "text", text: "what is this?" },
  ],
}];
const NO_IMAGES = failure("provider_bad_request", {
  message: "404 this model does not support image input",
  status: 404,
});
const BAD_IMAGE = failure("provider_bad_request", {
  message: "400 could not process image",
  status: 400,
});

Deno.test("withRetry asks again without images when they were the trouble", async () => {
  const provider = new Played([BAD_IMAGE], [FINISHED]);
  const events = await run(provider, { messages: WITH_IMAGE });
  assert.deepEqual(kinds(events), ["finished"]);
  assert.deepEqual(provider.requests[1]?.messages, [{
    role: "user",
    content: [{ type: "text", text: OMITTED_IMAGE }, { type: "text", text: "what is this?" }],
  }]);
  assert.equal(provider.requests[0]?.messages, WITH_IMAGE);
});

Deno.test("withRetry tells the second error when leaving images out did not help", async () => {
  const other = failure("provider_bad_request", { message: "400 image of doom", status: 400 });
  const provider = new Played([BAD_IMAGE], [other]);
  const error = errorOf(await run(provider, { messages: WITH_IMAGE }));
  assert.equal(error.message, "400 image of doom");
  assert.equal(provider.requests.length, 2);
});

Deno.test.each<[string, ChatEvent]>([
  ["a wrong key", failure("provider_auth", { message: "401 image", status: 401 })],
  ["a request that is wrong otherwise", failure("provider_bad_request", { status: 400 })],
  ["a conversation that is too long", failure("provider_context_too_long", { message: "image" })],
])("withRetry keeps images on %s", async (_, event) => {
  const provider = new Played([event], [FINISHED]);
  await run(provider, { messages: WITH_IMAGE });
  assert.equal(provider.requests.length, 1);
});

Deno.test.each<[string, ChatEvent, number]>([
  ["cannot see", NO_IMAGES, 0],
  ["could not read this one", BAD_IMAGE, 1],
])("withRetry remembers a model that %s", async (_, event, imagesSent) => {
  const provider = new Played([event], [FINISHED]);
  const retrying = withRetry(provider, { clock: new ManualClock(), random: { next: () => 0 } });
  await askAll(retrying, { messages: WITH_IMAGE });
  await askAll(retrying, { messages: WITH_IMAGE });
  const sent = JSON.stringify(provider.requests[2]?.messages);
  assert.equal(sent.split('image_url":{').length - 1, imagesSent);
});
