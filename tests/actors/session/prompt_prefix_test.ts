import assert from "node:assert/strict";
import fc from "fast-check";
import { fitMessages } from "../../../actors/session/governance.ts";
import { Replay, wellFormed } from "../../../actors/session/history.ts";
import { RequestView } from "../../../actors/session/request_view.ts";
import type { ChatMessage } from "../../../providers/provider.ts";
import { SessionBench } from "../../support/session_bench.ts";
import { anyConversation } from "./arbitrary_messages.ts";

const SYSTEM: ChatMessage = { role: "system", content: "You help." };

function toolRound(n: number, chars: number): ChatMessage[] {
  const call = {
    id: `c${n}`,
    type: "function" as const,
    function: { name: "read_file", arguments: `{"path":"${n}"}` },
  };
  return [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: call.id, name: "read_file", content: `${n} `.repeat(chars / 3) },
  ];
}

/** How many messages two requests have in common, from the first on, to the letter. */
function shared(a: readonly ChatMessage[], b: readonly ChatMessage[]): number {
  const different = a.findIndex((message, index) =>
    JSON.stringify(message) !== JSON.stringify(b[index])
  );
  return different === -1 ? a.length : different;
}

function isPrefix(a: readonly ChatMessage[], b: readonly ChatMessage[]): boolean {
  return shared(a, b) === a.length;
}

Deno.test("Each request of a turn begins with all of the one before", async () => {
  const rounds = 6;
  await using bench = new SessionBench({
    tools: { read: { run: () => "r".repeat(500) } },
    script: (_request, index) =>
      index < rounds ? { calls: [{ name: "read", args: { index } }] } : "done",
  });
  await bench.say("read them");
  await bench.quiet();
  const requests = bench.provider.requests.map(({ messages }) => messages);
  assert.equal(requests.length, rounds + 1);
  for (const [index, messages] of requests.slice(1).entries()) {
    assert.ok(isPrefix(requests[index] ?? [], messages), `request ${index + 1}`);
  }
});

Deno.test("A turn shares all with the one before, up to what was said in that", async () => {
  await using bench = new SessionBench({ script: (_request, index) => `answer ${index}` });
  for (let n = 0; n < 5; n++) {
    await bench.say(`question ${n}`);
    await bench.quiet();
    await bench.world.clock.advance(60_000);
  }
  const requests = bench.provider.requests.map(({ messages }) => messages);
  for (const [index, messages] of requests.slice(1).entries()) {
    const before = requests[index] ?? [];
    assert.equal(shared(before, messages), before.length - 1, `turn ${index + 1}`);
  }
});

Deno.test("Old results are left out in steps, so that most requests begin like the one before", () => {
  const view = new RequestView();
  const replay = new Replay();
  replay.push({ role: "user", content: "read them all" });
  let before: readonly ChatMessage[] = [];
  let changes = 0;
  const rounds = 80;
  for (let n = 0; n < rounds; n++) {
    for (const message of toolRound(n, 3_000)) replay.push(message);
    const fitted = fitMessages(replay.messages(SYSTEM), {
      inputTokensMax: 15_000,
      tools: [],
      view,
    });
    if (!isPrefix(before, fitted)) changes++;
    assert.deepEqual(wellFormed(fitted.slice(1)), fitted.slice(1));
    before = fitted;
  }
  assert.ok(changes > 0 && changes <= rounds / 6, `${changes} changes in ${rounds} rounds`);
});

Deno.test("Old turns are left out in steps too", () => {
  const view = new RequestView();
  const replay = new Replay();
  let before: readonly ChatMessage[] = [];
  let changes = 0;
  for (let n = 0; n < 200; n++) {
    replay.push({ role: "user", content: `question ${n} ${"q".repeat(400)}` });
    const fitted = fitMessages(replay.messages(SYSTEM), { inputTokensMax: 5_000, tools: [], view });
    if (!isPrefix(before, fitted)) changes++;
    before = fitted;
    replay.push({ role: "assistant", content: `answer ${n} ${"a".repeat(400)}` });
  }
  assert.ok(changes > 0 && changes <= 200 / 5, `${changes} changes in 200 turns`);
});

Deno.test("Whatever was left out before, a request is well-formed and keeps what is to be answered", () => {
  fc.assert(fc.property(
    fc.array(anyConversation, { minLength: 1, maxLength: 6 }),
    fc.array(fc.integer({ min: 200, max: 3_000 }), { minLength: 6, maxLength: 6 }),
    (conversations, limits) => {
      const view = new RequestView();
      const replay = new Replay();
      for (const [index, messages] of conversations.entries()) {
        for (const message of messages) replay.push(message);
        replay.ownFromNext();
        const own: ChatMessage = { role: "user", content: `own ${index}` };
        replay.push(own);
        const all = replay.messages(SYSTEM);
        const ownFrom = 1 + replay.ownFrom;
        const inputTokensMax = limits[index] ?? null;
        const fitted = fitMessages(all, { inputTokensMax, tools: [], ownFrom, view });
        assert.equal(fitted[0], SYSTEM);
        assert.deepEqual(wellFormed(fitted.slice(1)), fitted.slice(1));
        const last = JSON.stringify(fitted.at(-1));
        assert.match(last, new RegExp(`own ${index}`));
      }
    },
  ));
});

Deno.test("Signed thoughts go back to their vendor in later turns, and from the file", async () => {
  const signed = { type: "thinking", thinking: "hm", signature: "s1g" };
  await using first = new SessionBench({ script: [{ text: "yes", thinkingBlocks: [signed] }] });
  await first.say("really?");
  await first.quiet();
  await using next = new SessionBench({ script: ["sure"], disk: first.crash() });
  await next.say("sure?");
  await next.quiet();
  const [request] = next.provider.requests;
  const thoughtful = request?.messages.find(({ role }) => role === "assistant");
  assert.deepEqual(Object(thoughtful)["thinking_blocks"], [signed]);
});
