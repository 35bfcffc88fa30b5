import assert from "node:assert/strict";
import { requestTokens } from "../../../actors/session/governance.ts";
import { wellFormed } from "../../../actors/session/history.ts";
import type { ChatMessage, ChatRequest } from "../../../providers/provider.ts";
import { providerError, type ScriptedAnswer } from "../../support/scripted_provider.ts";
import { SessionBench } from "../../support/session_bench.ts";

const TOO_LONG = { error: providerError("provider_context_too_long", "It is too long.") };

/** A model whose window is smaller than the settings say. */
function smallWindow(
  windowTokens: number,
  answer: (request: ChatRequest, index: number) => string | ScriptedAnswer,
) {
  return (request: ChatRequest, index: number) =>
    sizeOf(request) > windowTokens ? TOO_LONG : answer(request, index);
}

function sizeOf({ messages, tools }: ChatRequest): number {
  return requestTokens(messages, tools);
}

function textsOf(messages: readonly ChatMessage[] | undefined): string {
  return JSON.stringify(messages);
}

Deno.test("A conversation that is too long is asked about once more, much smaller", async () => {
  await using bench = new SessionBench({
    script: smallWindow(3_000, (_request, index) => `answer ${index} ${"a".repeat(2_000)}`),
  });
  for (let n = 0; n < 8; n++) {
    await bench.say(`question ${n}`);
    await bench.quiet();
  }
  assert.ok(bench.replies().every((text) => text.startsWith("answer")), "nobody saw a failure");
  const { requests } = bench.provider;
  const refused = requests.findIndex((request) => sizeOf(request) > 3_000);
  const [before, after] = [requests[refused], requests[refused + 1]];
  assert.ok(before !== undefined && after !== undefined);
  assert.ok(sizeOf(after) <= sizeOf(before) / 2);
  assert.match(textsOf(after.messages.slice(-1)), /question/, "the current message stays");
  assert.equal(after.messages[0]?.role, "system");
  assert.equal(requests.length, 9, "what follows is small enough at once");
  assert.equal(bench.history().length, 16, "what is stored stays whole");
});

Deno.test("What joined a turn, and what it joined, stay when the model finds it too long", async () => {
  await using bench: SessionBench = new SessionBench({
    tools: {
      work: {
        run: async () => {
          await bench.say(`joined ${"j".repeat(8_000)}`);
          return "x";
        },
      },
    },
    script: [
      "a".repeat(8_000),
      { calls: [{ name: "work" }] },
      TOO_LONG,
      "for both",
    ],
  });
  await bench.say("before");
  await bench.quiet();
  await bench.say("began the turn");
  await bench.quiet();
  const asked = textsOf(bench.provider.requests.at(-1)?.messages);
  assert.match(asked, /began the turn.*joined/);
  assert.doesNotMatch(asked, /before/);
  assert.equal(bench.replies().at(-1), "for both");
});

Deno.test("A long result of a tool is cut for a small model, and its call keeps it", async () => {
  await using bench = new SessionBench({
    settings: { toolResultCharsMax: 50_000 },
    tools: { read: { run: () => `begin ${"r".repeat(40_000)} end` } },
    script: smallWindow(
      6_000,
      (_request, index) => index === 0 ? { calls: [{ name: "read", id: "c1" }] } : "read it",
    ),
  });
  await bench.say("please read");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["read it"]);
  const last = bench.provider.requests.at(-1)?.messages ?? [];
  assert.match(textsOf(last), /begin r+.*characters left out to save room.*r+ end/);
  assert.match(textsOf(last), /please read/);
  const [, ...conversation] = last;
  assert.deepEqual(wellFormed(conversation), conversation);
});

Deno.test("A conversation that stays too long fails with a clear word, after one retry", async () => {
  await using bench = new SessionBench({
    script: (_request, index) => index === 0 ? "a".repeat(8_000) : TOO_LONG,
  });
  await bench.say("first");
  await bench.quiet();
  await bench.say("second");
  await bench.quiet();
  assert.equal(bench.provider.requests.length, 3);
  assert.match(bench.replies().at(-1) ?? "", /It is too long/);
});

Deno.test("Nothing is asked twice where there is nothing to leave out", async () => {
  await using bench = new SessionBench({ script: [TOO_LONG] });
  await bench.say("m".repeat(20_000));
  await bench.quiet();
  assert.equal(bench.provider.requests.length, 1);
  assert.match(bench.replies().at(-1) ?? "", /It is too long/);
});

Deno.test("Estimates that are too low correct themselves by what the model counts", async () => {
  await using bench = new SessionBench({
    settings: { contextWindowTokens: 6_000, tokensMax: 500 },
    script: (request, index) => {
      const promptTokens = sizeOf(request) * 2;
      const text = `answer ${index} ${"a".repeat(2_000)}`;
      return { text, usage: { promptTokens, completionTokens: 1, totalTokens: promptTokens + 1 } };
    },
  });
  for (let n = 0; n < 12; n++) {
    await bench.say(`question ${n}`);
    await bench.quiet();
  }
  const budget = 6_000 - 500 - 1_024;
  const counts = bench.provider.requests.map((request) => sizeOf(request) * 2);
  assert.ok(counts.every((tokens) => tokens <= budget), `${counts}`);
  const isFilled = counts.slice(-4).some((tokens) => tokens > budget / 2);
  assert.ok(isFilled, "and what there is room for is still sent");
});
