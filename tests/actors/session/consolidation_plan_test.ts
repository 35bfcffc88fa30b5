import assert from "node:assert/strict";
import fc from "fast-check";
import {
  chunkEnd,
  conversationRoom,
  GrowingCount,
  settledEnd,
  suffixStart,
  tokensFrom,
} from "../../../actors/session/consolidation_plan.ts";
import type { StoredMessage } from "../../../actors/session/session_file.ts";
import type { ChatMessage } from "../../../providers/provider.ts";

/** Tokens of each message: its text and what every message costs. */
const TOKENS = 120;

/** `u` is a user's message, `a` an answer, `t` a tool's result. */
function talk(roles: string, turn: (index: number) => string = () => "t"): StoredMessage[] {
  return [...roles].map((role, index) => ({
    message: messageOf(role, "x".repeat((TOKENS - 4) * 4 - (role === "t" ? 16 : 0))),
    timestampMs: 0,
    lineId: `${turn(index)}:${index}`,
    extras: {},
  }));
}

function messageOf(role: string, content: string): ChatMessage {
  if (role === "u") return { role: "user", content };
  if (role === "a") return { role: "assistant", content };
  return { role: "tool", tool_call_id: "call1234", name: "read_one", content };
}

const WIDE = { from: 0, limit: 1_000, excess: Infinity, tokensMax: Infinity };

function endOf(roles: string, limits: Partial<typeof WIDE>): number | null {
  const messages = talk(roles);
  return chunkEnd(messages, { ...WIDE, limit: messages.length, ...limits });
}

Deno.test("A message of the test has the tokens that it says", () => {
  assert.equal(tokensFrom(talk("uat"), 0), 3 * TOKENS);
  assert.ok(tokensFrom(talk("u".repeat(100)), 0, 500) < 6 * TOKENS, "counting stops early");
});

Deno.test.each<[string, Partial<typeof WIDE>, number | null]>([
  ["uauau", { limit: 4, excess: 900 }, 4],
  ["uauau", { limit: 4, excess: 130 }, 2],
  ["uauau", { limit: 4, excess: 240 }, 2],
  ["uauau", { limit: 4, excess: 241 }, 4],
  ["uauau", { from: 2, limit: 4, excess: 1 }, 4],
  ["uauau", { from: 4, limit: 4 }, null],
  ["", {}, null],
  ["uataau", { limit: 5, excess: 1 }, 5],
  ["uauauau", { limit: 6, tokensMax: 4 * TOKENS }, 4],
  ["uattaua", { limit: 5, tokensMax: TOKENS }, 5],
])("The chunk of %s within %j ends at %s", (roles, limits, end) => {
  assert.equal(endOf(roles, limits), end);
});

Deno.test("A chunk has 60 messages at most, and is cut at a user's", () => {
  const users = (...at: number[]) =>
    Array.from({ length: 62 }, (_, index) => at.includes(index) ? "u" : "a").join("");
  assert.equal(endOf(users(0, 50, 61), { limit: 61 }), 50);
  assert.equal(endOf(users(0, 61), { limit: 61 }), 61, "a longer turn would never be summed up");
  assert.equal(endOf("ua".repeat(60), { limit: 118 }), 60);
});

Deno.test.each([
  ["uaua", 0, undefined, 2],
  ["uaua", 2, undefined, 2],
  ["ua", 0, undefined, 0],
  ["", 0, undefined, 0],
  ["uauatua", 0, "t", 2],
  ["uauatua", 0, "other", 5],
  ["uauatua", 2, "t", 2],
  ["uauaua", 2, "t", 2],
])("Summing up %s from %s beside turn %s goes as far as %s", (roles, from, turn, end) => {
  const messages = talk(roles, (index) => index >= 2 ? "t" : "before");
  assert.equal(settledEnd(messages, from, turn), end);
});

Deno.test.each([
  ["ua".repeat(6), 0, 4],
  ["ua".repeat(4), 0, 0],
  ["ua".repeat(5), 4, 4],
  ["uaaaaauaaaaaaaa", 0, 6],
  ["uaaaaaaaaaaaaaa", 0, 0],
  ["aaaaaaaaaaaaaaa", 0, 0],
])("The end of %s that stays begins at a user's message, from %s at %s", (roles, from, start) => {
  assert.equal(suffixStart(talk(roles), from), start);
});

Deno.test("The room of a conversation is what the prompt leaves, and never nothing", () => {
  assert.deepEqual(conversationRoom(1_000, 0), { trigger: 800, target: 500 });
  assert.deepEqual(conversationRoom(1_000, 300), { trigger: 500, target: 200 });
  assert.deepEqual(conversationRoom(1_000, 5_000), { trigger: 250, target: 100 });
});

Deno.test("GrowingCount says of a conversation that grows and is cut what counting all of it says", () => {
  const step = fc.oneof(
    fc.record({ add: fc.stringMatching(/^[ua]{0,5}$/) }),
    fc.record({ from: fc.nat(12) }),
    fc.record({ drop: fc.nat(12) }),
  );
  fc.assert(fc.property(fc.array(step), fc.nat(2_000), (steps, enough) => {
    const count = new GrowingCount();
    let messages: StoredMessage[] = [];
    let from = 0;
    for (const change of steps) {
      if ("add" in change) messages.push(...talk(change.add));
      else if ("from" in change) from = Math.min(change.from, messages.length);
      else messages = messages.slice(change.drop);
      const expected = tokensFrom(messages, from) > enough;
      assert.equal(count.isOver(messages, from, enough), expected);
    }
  }));
});
