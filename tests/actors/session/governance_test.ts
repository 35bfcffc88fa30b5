import assert from "node:assert/strict";
import fc from "fast-check";
import {
  compactMessages,
  fitMessages,
  inputBudget,
  requestTokens,
} from "../../../actors/session/governance.ts";
import { wellFormed } from "../../../actors/session/history.ts";
import { estimatePromptTokens } from "../../../providers/tokens.ts";
import type { ChatMessage, ToolDefinition } from "../../../providers/provider.ts";
import { anyConversation } from "./arbitrary_messages.ts";

const SYSTEM: ChatMessage = { role: "system", content: "You help." };

function turn(n: number, chars: number = 400): ChatMessage[] {
  return [
    { role: "user", content: `question ${n} ${"q".repeat(chars)}` },
    { role: "assistant", content: `answer ${n} ${"a".repeat(chars)}` },
  ];
}

function toolRound(n: number, chars: number, name: string = "read_file"): ChatMessage[] {
  const call = { id: `c${n}`, type: "function" as const, function: { name, arguments: "{}" } };
  return [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: call.id, name, content: "r".repeat(chars) },
  ];
}

function fit(
  messages: readonly ChatMessage[],
  inputTokensMax: number | null,
): readonly ChatMessage[] {
  return fitMessages(messages, { inputTokensMax, tools: [] });
}

function hiddenResults(messages: readonly ChatMessage[]): boolean[] {
  return messages.filter(({ role }) => role === "tool").map(({ content }) =>
    typeof content === "string" && content.includes("left out")
  );
}

Deno.test.each([
  [{ contextBlockLimit: null, contextWindowTokens: 65_536, tokensMax: 8_192 }, 56_320],
  [{ contextBlockLimit: 10_000, contextWindowTokens: 65_536, tokensMax: 8_192 }, 10_000],
  [{ contextBlockLimit: null, contextWindowTokens: 4_096, tokensMax: 8_192 }, null],
])("inputBudget of %j is %s", (settings, tokens) => {
  assert.equal(inputBudget(settings), tokens);
});

Deno.test.each([null, 100_000])(
  "fitMessages gives the same list when %s tokens are enough",
  (tokens) => {
    const messages = [SYSTEM, ...turn(1), ...toolRound(1, 2_000), ...turn(2)];
    assert.equal(fit(messages, tokens), messages);
  },
);

Deno.test("fitMessages drops the oldest turns and keeps the system message", () => {
  const messages = [SYSTEM, ...turn(1), ...turn(2), ...turn(3)];
  const budget = estimatePromptTokens([SYSTEM, ...turn(2), ...turn(3)], []);
  assert.deepEqual(fit(messages, budget), [SYSTEM, ...turn(2), ...turn(3)]);
});

Deno.test("fitMessages starts at a user message, never in the middle of a turn", () => {
  const messages = [SYSTEM, ...turn(1), ...turn(2)];
  const budget = estimatePromptTokens([SYSTEM, ...turn(1).slice(1), ...turn(2)], []);
  assert.deepEqual(fit(messages, budget), [SYSTEM, ...turn(2)]);
});

Deno.test("fitMessages keeps the last user message, even if it alone is too big", () => {
  const messages = [SYSTEM, ...turn(1), ...turn(2, 50_000).slice(0, 1)];
  assert.deepEqual(fit(messages, 1_000), [SYSTEM, ...turn(2, 50_000).slice(0, 1)]);
});

Deno.test("fitMessages keeps all that is to be answered, what joined in and what it joined", () => {
  const [first] = turn(2, 20_000);
  const [joined] = turn(3);
  assert.ok(first !== undefined && joined !== undefined);
  const own = [first, ...toolRound(1, 20), joined];
  const messages = [SYSTEM, ...turn(1), ...own];
  const limits = { inputTokensMax: 1_000, tools: [] };
  assert.deepEqual(fitMessages(messages, { ...limits, ownFrom: 3 }), [SYSTEM, ...own]);
  assert.deepEqual(fitMessages(messages, limits), [SYSTEM, joined]);
});

Deno.test("fitMessages counts the tool definitions", () => {
  const tools: ToolDefinition[] = [{
    name: "exec",
    description: "d".repeat(2_000),
    parameters: { type: "object" },
  }];
  const messages = [SYSTEM, ...turn(1), ...turn(2)];
  const inputTokensMax = estimatePromptTokens(messages, []);
  assert.equal(fitMessages(messages, { inputTokensMax, tools: [] }), messages);
  assert.deepEqual(fitMessages(messages, { inputTokensMax, tools }), [SYSTEM, ...turn(2)]);
});

Deno.test("fitMessages hides all but the ten newest results that can be had again", () => {
  const rounds = Array.from({ length: 15 }, (_, n) => toolRound(n, 2_000)).flat();
  const messages = [SYSTEM, ...turn(1).slice(0, 1), ...rounds];
  const fitted = fit(messages, estimatePromptTokens(messages, []) - 1_000);
  assert.equal(fitted.length, messages.length);
  assert.deepEqual(hiddenResults(fitted), Array.from({ length: 15 }, (_, n) => n < 5));
});

Deno.test.each<[string, number, string]>([
  ["short results", 300, "read_file"],
  ["results of other tools", 2_000, "message"],
])("fitMessages does not hide %s as long as turns can go", (_name, chars, tool) => {
  const rounds = Array.from({ length: 15 }, (_, n) => toolRound(n, chars, tool)).flat();
  const messages = [SYSTEM, ...turn(1), ...turn(2).slice(0, 1), ...rounds];
  const fitted = fit(messages, estimatePromptTokens(messages, []) - 10);
  assert.deepEqual(fitted, [SYSTEM, ...turn(2).slice(0, 1), ...rounds]);
});

Deno.test("fitMessages hides results of the running turn, the last round's aside, if need be", () => {
  const rounds = Array.from({ length: 6 }, (_, n) => toolRound(n, 8_000, "mcp_db_query")).flat();
  const messages = [SYSTEM, ...turn(1).slice(0, 1), ...rounds];
  const fitted = fit(messages, 5_000);
  assert.deepEqual(hiddenResults(fitted), [true, true, true, true, true, false]);
  assert.ok(estimatePromptTokens(fitted, []) <= 5_000);
});

Deno.test("fitMessages changes none of the messages it was given", () => {
  const messages = [
    SYSTEM,
    ...turn(1).slice(0, 1),
    ...toolRound(1, 9_000, "x"),
    ...toolRound(2, 9_000),
  ];
  const before = JSON.stringify(messages);
  fit(messages, 500);
  assert.equal(JSON.stringify(messages), before);
});

Deno.test("fitMessages keeps a replay well-formed, its system message, and its last turn", () => {
  fc.assert(
    fc.property(anyConversation, fc.integer({ min: 1, max: 400 }), (conversation, tokens) => {
      const replay = wellFormed(conversation);
      const [system, ...rest] = fit([SYSTEM, ...replay], tokens);
      assert.equal(system, SYSTEM);
      assert.deepEqual(wellFormed(rest), rest);
      const lastTurn = replay.slice(replay.findLastIndex(({ role }) => role === "user"));
      assert.deepEqual(
        rest.slice(-lastTurn.length).map(({ role }) => role),
        lastTurn.map(({ role }) => role),
      );
    }),
  );
});

Deno.test("compactMessages keeps a conversation well-formed and the last question whole", () => {
  fc.assert(
    fc.property(
      anyConversation,
      fc.option(fc.integer({ min: 1, max: 400 })),
      (conversation, inputTokensMax) => {
        const limits = { inputTokensMax, tools: [] };
        const replay = wellFormed(conversation);
        const before = fitMessages([SYSTEM, ...replay], limits);
        const after = compactMessages([SYSTEM, ...replay], limits);
        if (after === undefined) return;
        assert.ok(requestTokens(after, []) < requestTokens(before, []));
        const [system, ...rest] = after;
        assert.equal(system, SYSTEM);
        assert.deepEqual(wellFormed(rest), rest);
        const isUser = ({ role }: ChatMessage) => role === "user";
        assert.deepEqual(rest.findLast(isUser), replay.findLast(isUser));
      },
    ),
  );
});

Deno.test("compactMessages cuts the results of the last round when nothing else helps", () => {
  const question: ChatMessage = { role: "user", content: "read all of it" };
  const messages = [SYSTEM, question, ...toolRound(1, 40_000)];
  const after = compactMessages(messages, { inputTokensMax: null, tools: [] });
  assert.ok(after !== undefined);
  const share = requestTokens(after, []) / requestTokens(messages, []);
  assert.ok(share > 0.4 && share < 0.6, `${share}`);
  assert.equal(after[1], question);
});

Deno.test("fitMessages looks only at what it keeps", () => {
  let isReadMessage = false;
  const first: ChatMessage = {
    role: "user",
    get content(): string {
      isReadMessage = true;
      return "x";
    },
  };
  fit([SYSTEM, first, ...turn(0).slice(1), ...turn(1), ...turn(2)], 150);
  assert.equal(isReadMessage, false);
});
