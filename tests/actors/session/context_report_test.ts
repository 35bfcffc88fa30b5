import assert from "node:assert/strict";
import { type ContextFacts, contextText } from "../../../actors/session/context_report.ts";
import { SessionBench } from "../../support/session_bench.ts";

const FACTS: ContextFacts = {
  model: "gpt-x",
  system: [{ name: "instructions", tokens: 700 }, { name: "AGENTS.md", tokens: 300 }],
  tools: { tokens: 2_000, count: 12 },
  summaryTokens: 0,
  rememberedTokensMax: 0,
  conversation: { tokens: 7_000, shown: 20, all: 50 },
  inputTokensMax: 40_000,
  tokensMax: 8_192,
  countedTokens: 0,
};

Deno.test("contextText tells all parts, and what is free", () => {
  assert.equal(
    contextText(FACTS),
    [
      "Context for gpt-x: about 10,000 tokens of 40,000 that a request may take (25%)",
      "System prompt: 1,000",
      "- instructions: 700",
      "- AGENTS.md: 300",
      "Tools (12): 2,000",
      "Conversation (20 of 50 messages): 7,000",
      "Free: 30,000",
      "Kept for the answer: 8,192",
      "Estimated: the model has not counted yet.",
    ].join("\n"),
  );
});

Deno.test("contextText corrects every part by what the model counted", () => {
  const text = contextText({ ...FACTS, countedTokens: 12_000 });
  assert.match(text, /about 12,000 tokens of 40,000 .* \(30%\)/);
  assert.match(text, /^- AGENTS.md: 360$/m);
  assert.match(text, /^Free: 28,000$/m);
  assert.match(text, /corrected by what the model counted last \(12,000\)/);
});

Deno.test.each<[string, Partial<ContextFacts>, RegExp]>([
  ["no limit", { inputTokensMax: null }, /10,000 tokens, without a limit\n/],
  ["a summary", { summaryTokens: 500 }, /^Summary of earlier messages: 500$/m],
  ["recall", { rememberedTokensMax: 800 }, /^Remembered passages: up to 800 more/m],
  ["one message", { conversation: { tokens: 9, shown: 1, all: 1 } }, /\(1 of 1 message\): 9/],
  ["too much", { inputTokensMax: 5_000 }, /\(200%\)[^]*^Free: 0$/m],
  ["a count that cannot be", { countedTokens: 1_000_000 }, /about 30,000 tokens/],
])("contextText is right with %s", (_name, change, expected) => {
  assert.match(contextText({ ...FACTS, ...change }), expected);
});

Deno.test("/context tells what the next request has, and changes nothing", async () => {
  await using bench = new SessionBench({
    script: [{
      text: "hello",
      usage: { promptTokens: 90, completionTokens: 10, totalTokens: 100 },
    }],
    services: {
      promptSections: (channel) =>
        Promise.resolve([
          { name: "instructions", text: `You talk on ${channel}.` },
          { name: "SOUL.md", text: "Be kind." },
        ]),
    },
    tools: { look: { run: () => "seen" } },
  });
  await bench.say("/context");
  await bench.quiet();
  await bench.say("hi");
  await bench.quiet();
  await bench.say("/context");
  await bench.quiet();
  const [before = "", , after = ""] = bench.replies();
  assert.match(before, /^Context for test-model: about \d+ tokens of 97,976/);
  assert.match(before, /^- SOUL.md: 2$/m);
  assert.match(before, /^Tools \(1\): \d+$/m);
  assert.match(before, /^Conversation \(0 of 0 messages\): 0$/m);
  assert.match(after, /^Conversation \(2 of 2 messages\): \d+$/m);
  assert.match(after, /what the model counted last \(100\)/);
  assert.deepEqual(bench.story(), ["user hi", "assistant hello"]);
});

Deno.test("/context counts only the messages that fit", async () => {
  await using bench = new SessionBench({
    script: () => "b".repeat(4_000),
    settings: { contextWindowTokens: 6_000, tokensMax: 1_000 },
  });
  for (let n = 0; n < 5; n++) {
    await bench.say(`${n}`);
    await bench.quiet();
  }
  await bench.say("/context");
  await bench.quiet();
  const text = bench.replies().at(-1) ?? "";
  const [, shown = "", all = ""] = /Conversation \((\d+) of (\d+) messages\)/.exec(text) ?? [];
  assert.equal(all, "10");
  assert.ok(Number(shown) > 0 && Number(shown) < 10, shown);
});
