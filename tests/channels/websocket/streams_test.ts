import assert from "node:assert/strict";
import fc from "fast-check";
import { ENTRIES_MAX } from "../../../channels/websocket/chats/chat.ts";
import { type Frame, Harness, type Peer } from "./harness.ts";

/** What a client makes of frames, as its page says. */
function answerOf(frames: readonly Frame[]): string {
  return frames.reduce((answer, { event, offset, text }) => {
    if (event === "delta") return answer.slice(0, Number(offset)) + String(text);
    return event === "stream_end" ? String(text) : answer;
  }, "");
}

function textsOf(peer: Peer): readonly unknown[] {
  return peer.of("message").map(({ text }) => text);
}

Deno.test("An answer comes in pieces, and ends whole under the same id", async () => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  await harness.deliver({ key: "k1", phase: "growing", text: "Hello " });
  await harness.deliver({ key: "k1", phase: "growing", text: "Hello world!" });
  await harness.deliver({ key: "k1", text: "Hello world! And more" });
  await peer.isCaughtUp();
  const pieces = peer.of("delta").map(({ stream_id: id, offset, text }) => [id, offset, text]);
  assert.deepEqual(pieces, [["k1", 0, "Hello "], ["k1", 6, "world!"], ["k1", 12, " And more"]]);
  assert.partialDeepStrictEqual(peer.of("stream_end"), [
    { stream_id: "k1", message_id: "k1", seq: 1, text: "Hello world! And more" },
  ]);
  assert.deepEqual(peer.of("message"), []);
});

Deno.test("Two answers of one chat can be told apart", async () => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  for (const text of ["a", "aa"]) {
    await harness.deliver({ key: "one", phase: "growing", text });
    await harness.deliver({ key: "two", phase: "growing", text: text.toUpperCase() });
  }
  await peer.isCaughtUp();
  const of = (id: string) => answerOf(peer.frames.filter(({ stream_id }) => stream_id === id));
  assert.deepEqual([of("one"), of("two")], ["aa", "AA"]);
});

Deno.test("What runs, and what the model thinks, come by their kind", async () => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  const growing = { key: "k1", phase: "growing" } as const;
  await harness.deliver({ ...growing, text: "", reasoning: "hm" });
  await harness.deliver({ ...growing, text: "Let me look", activity: "read_file(a)" });
  await harness.deliver({ ...growing, text: "Let me look", activity: "" });
  await harness.deliver({ key: "k1", text: "Here" });
  await peer.isCaughtUp();
  const notes = peer.of("message").map(({ kind, text }) => [kind, text]);
  assert.deepEqual(notes, [["reasoning", "hm"], ["tool_hint", "read_file(a)"]]);
  assert.equal(answerOf(peer.frames), "Here");
});

Deno.test("A model that begins anew replaces what stood there, whole characters at a time", async () => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  await harness.deliver({ key: "k1", phase: "growing", text: "It is 👩 fine" });
  await harness.deliver({ key: "k1", phase: "growing", text: "It is 👨" });
  await peer.isCaughtUp();
  assert.equal(answerOf(peer.frames), "It is 👨");
  assert.equal(peer.of("delta")[1]?.offset, 6);
});

Deno.test("Pieces make the answer, however it grows and whenever a client comes", async () => {
  await using harness = await Harness.ready();
  let key = 0;
  const texts = fc.array(fc.string({ unit: "binary", maxLength: 8 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      texts,
      fc.string({ minLength: 1 }),
      fc.nat(5),
      async (grown, last, joinsAt) => {
        const end = `${last.trim()}.`;
        const id = `k${++key}`;
        let peer: Peer | null = null;
        for (const [index, text] of grown.entries()) {
          if (index === joinsAt) peer = await harness.member("alice");
          await harness.deliver({ key: id, phase: "growing", text: text.toWellFormed() });
        }
        peer ??= await harness.member("alice");
        await harness.deliver({ key: id, text: end });
        await peer.isCaughtUp();
        const own = peer.frames.filter((frame) =>
          frame.message_id === id || frame.stream_id === id
        );
        assert.equal(own.at(-1)?.text, end);
        const pieces = own.filter(({ event }) => event === "delta");
        if (pieces.length > 0) assert.equal(answerOf(pieces), end);
        peer[Symbol.dispose]();
      },
    ),
    { numRuns: 25 },
  );
});

Deno.test("A client that was away gets what it missed, and what grows just now", async () => {
  await using harness = await Harness.ready();
  const first = await harness.member("alice");
  await harness.deliver({ key: "k1", text: "one" });
  await first.has("message");
  first[Symbol.dispose]();
  await harness.deliver({ key: "k2", text: "two" });
  await harness.deliver({ key: "k3", phase: "growing", text: "thr" });
  const again = await harness.member("alice", 1);
  await again.isCaughtUp();
  assert.deepEqual(textsOf(again), ["two"]);
  assert.equal(answerOf(again.frames), "thr");
  await harness.deliver({ key: "k3", text: "three" });
  const { seq } = await again.has("stream_end");
  assert.equal(seq, 3);
});

Deno.test("What was missed is there after a restart, under the same numbers", async () => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: "k1", text: "one" });
  await harness.deliver({ key: "k2", text: "two" });
  await harness.restart();
  await harness.deliver({ key: "k2", text: "two" }); // its receipt was lost
  await harness.deliver({ key: "k3", text: "three" });
  const peer = await harness.member("alice", 1);
  await peer.isCaughtUp();
  assert.deepEqual(peer.of("message").map(({ seq, text }) => [seq, text]), [
    [2, "two"],
    [3, "three"],
  ]);
  assert.equal(await harness.lookUp({ key: "k3" }), "arrived");
  assert.equal(await harness.lookUp({ key: "k4" }), "absent");
});

Deno.test("What is not kept any more is told, and what is kept comes after that", async () => {
  await using harness = await Harness.ready();
  const total = ENTRIES_MAX * 2 + 5;
  for (let index = 1; index <= total; index++) {
    await harness.deliver({ key: `k${index}`, text: `m${index}` });
  }
  await harness.restart();
  const peer = await harness.member("alice", 3);
  await peer.isCaughtUp();
  assert.deepEqual(peer.of("gap").map(({ seq }) => seq), [total - ENTRIES_MAX]);
  assert.equal(textsOf(peer).length, ENTRIES_MAX);
  assert.equal(textsOf(peer).at(-1), `m${total}`);
});

Deno.test("A client that counts further than the chat is told so", async () => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: "k1", text: "one" });
  const peer = await harness.member("alice", 99);
  assert.equal((await peer.has("gap")).seq, 1);
  await harness.deliver({ key: "k2", text: "two" });
  assert.equal((await peer.has("message")).text, "two");
});

Deno.test("A line that a full disk cut short costs nothing but itself", async () => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: "k1", text: "one" });
  await harness.stop();
  const path = `${harness.gateway.mediaFolder}/chats/chat-1.jsonl`;
  await Deno.writeTextFile(path, '{"seq":2,"kind":"mess', { append: true });
  await harness.restart();
  await harness.deliver({ key: "k2", text: "two" });
  await harness.restart();
  const peer = await harness.member("alice", 0);
  await peer.isCaughtUp();
  assert.deepEqual(textsOf(peer), ["one", "two"]);
});

Deno.test("A chat that cannot be is no place to deliver to", async () => {
  await using harness = await Harness.ready();
  const delivering = harness.deliver({ key: "k1", chatId: "../../etc", text: "x" });
  await assert.rejects(delivering, { code: "delivery_permanent" });
});

Deno.test("An answer that grew and came to nothing is taken back for those who come later", async () => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  await harness.deliver({ key: "k1", phase: "growing", text: "hm" });
  await peer.has("delta");
  peer[Symbol.dispose]();
  await harness.deliver({ key: "k1", text: "" });
  const again = await harness.member("alice", 0);
  assert.partialDeepStrictEqual(await again.has("message"), { message_id: "k1", text: "" });
});
