import assert from "node:assert/strict";
import { CHAT, Harness } from "./harness.ts";

function message(content: unknown, more: Readonly<Record<string, unknown>> = {}): unknown {
  return { type: "message", chat_id: CHAT, content, ...more };
}

Deno.test("A client is greeted with a chat of its own and its name", async () => {
  await using harness = await Harness.ready();
  const [alice, nameless, long] = [
    harness.peer({ query: { client_id: " alice " } }),
    harness.peer(),
    harness.peer({ query: { client_id: "x".repeat(200) } }),
  ];
  const ready = await Promise.all([alice.has("ready"), nameless.has("ready"), long.has("ready")]);
  assert.equal(ready[0].client_id, "alice");
  assert.match(String(ready[1].client_id), /^anon-[0-9a-f]{12}$/);
  assert.equal(String(ready[2].client_id).length, 128);
  for (const { chat_id: chatId } of ready) assert.equal(String(chatId).length, 36);
  assert.equal(new Set(ready.map(({ chat_id: chatId }) => chatId)).size, 3);
});

Deno.test.each<[string, string | null]>([
  ["plain text", "plain text"],
  ['{"content":"by content"}', "by content"],
  ['{"text":"by text"}', "by text"],
  ['{"message":"by message"}', "by message"],
  ['{"content":" ","text":"the first that is not blank"}', "the first that is not blank"],
  ["{broken json", "{broken json"],
  ['["hello"]', '["hello"]'],
  ["  ", null],
  ['{"content":""}', null],
  ['{"other":1}', null],
])("The bare frame %s says %s", async (frame, said) => {
  await using harness = await Harness.ready();
  const peer = harness.peer({ query: { client_id: "alice" } });
  const { chat_id: chatId } = await peer.has("ready");
  peer.send(frame);
  peer.send("end");
  const texts = await harness.texts(said === null ? 1 : 2);
  assert.deepEqual(texts, said === null ? ["end"] : [said, "end"]);
  assert.partialDeepStrictEqual(harness.gateway.inbounds[0], { chatId, senderId: "alice" });
  assert.equal(harness.gateway.inbounds[0]?.context["remote"], "127.0.0.1");
});

Deno.test("Binary frames count if they are UTF-8", async () => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  peer.socket.send(Uint8Array.of(0xff, 0xfe, 0x00));
  peer.socket.send(new TextEncoder().encode("héllo 👋"), { binary: true });
  assert.deepEqual(await harness.texts(1), ["héllo 👋"]);
});

Deno.test.each<[string, unknown, string]>([
  ["another type", { type: "dance" }, "unknown type: dance"],
  ["a chat that is none", { type: "attach", chat_id: "a/b" }, "invalid chat_id"],
  ["no chat", { type: "message", content: "x" }, "invalid chat_id"],
  ["a chat with a long name", { type: "attach", chat_id: "x".repeat(65) }, "invalid chat_id"],
  ["blank content", message(" "), "missing content"],
  ["content that is no text", message(7), "missing content"],
  ["a file that is no base64", message("x", { media: [{ data: "%" }] }), "invalid media"],
  ["too many files", message("x", { media: Array(9).fill({ data: "" }) }), "invalid media"],
  ["an id with blanks", message("x", { client_msg_id: "a b" }), "invalid client_msg_id"],
  [
    "a choice that is not there",
    { type: "choose", chat_id: CHAT, message_id: "m", choice: 0 },
    "no such choice, or not any more",
  ],
])("A frame with %s is answered, and the connection goes on", async (_what, frame, detail) => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  peer.send(frame);
  assert.equal((await peer.has("error")).detail, detail);
  peer.send("still here");
  assert.deepEqual(await harness.texts(1), ["still here"]);
});

Deno.test("A message with an id is accepted once it is durable, and counts once", async () => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  peer.send(message("hello", { client_msg_id: "m1" }));
  assert.equal((await peer.has("accepted")).duplicate, false);
  peer.send(message("hello", { client_msg_id: "m1" }));
  assert.equal((await peer.has("accepted", 2)).duplicate, true);
  const bob = await harness.member("bob");
  bob.send(message("hello too", { client_msg_id: "m1" }));
  assert.equal((await bob.has("accepted")).duplicate, false);
  assert.deepEqual(await harness.texts(2), ["hello", "hello too"]);
});

Deno.test("A message that the gateway cannot take is to be sent again", async () => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  harness.gateway.answers.push("refused");
  peer.send(message("hello", { client_msg_id: "m1" }));
  assert.partialDeepStrictEqual(await peer.has("error"), { client_msg_id: "m1", retry: true });
  peer.send(message("hello", { client_msg_id: "m1" }));
  await peer.has("accepted");
});

Deno.test("Fifty messages each way arrive in order", async () => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  const texts = Array.from({ length: 50 }, (_, index) => `message ${index} ✓`);
  for (const text of texts) peer.send(message(text));
  assert.deepEqual(await harness.texts(50), texts);
  for (const [index, text] of texts.entries()) await harness.deliver({ key: `k${index}`, text });
  await peer.isCaughtUp();
  assert.deepEqual(peer.of("message").map(({ text }) => text), texts);
  assert.deepEqual(peer.of("message").map(({ seq }) => seq), texts.map((_, index) => index + 1));
});

Deno.test("New chats are apart, and a chat is followed until it is left", async () => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  peer.send({ type: "new_chat" });
  const { chat_id: chatId } = await peer.has("attached", 2);
  await harness.deliver({ key: "k1", chatId: String(chatId), text: "to the new one" });
  await harness.deliver({ key: "k2", text: "to the old one" });
  peer.send({ type: "detach", chat_id: CHAT });
  await peer.has("detached");
  await harness.deliver({ key: "k3", text: "to nobody" });
  await peer.isCaughtUp();
  assert.deepEqual(peer.of("message").map((frame) => [frame.chat_id, frame.text]), [
    [chatId, "to the new one"],
    [CHAT, "to the old one"],
  ]);
});

Deno.test("Every client of a chat is told, whoever of them is cut off", async () => {
  await using harness = await Harness.ready();
  const [alice, bob, carol] = [
    await harness.member("alice"),
    await harness.member("bob"),
    await harness.member("carol"),
  ];
  bob.socket.terminate();
  await harness.deliver({ key: "k1", text: "hello all" });
  await Promise.all([alice.isCaughtUp(), carol.isCaughtUp()]);
  assert.deepEqual([alice, carol].map((peer) => peer.of("message").length), [1, 1]);
});

Deno.test("A chat is its first client's where chats are not shared", async () => {
  await using harness = await Harness.ready({ section: { sharedChats: false } });
  const alice = await harness.member("alice");
  const mallory = harness.peer({ query: { client_id: "mallory" } });
  await mallory.has("ready");
  mallory.send({ type: "attach", chat_id: CHAT });
  mallory.send(message("let me in", { client_msg_id: "m1" }));
  assert.equal((await mallory.has("error", 2)).detail, "another client's chat");
  await harness.restart();
  const again = harness.peer({ query: { client_id: "mallory" } });
  await again.has("ready");
  again.send({ type: "attach", chat_id: CHAT });
  assert.equal((await again.has("error")).detail, "another client's chat");
  assert.deepEqual(harness.gateway.inbounds, []);
  await harness.member("alice");
  assert.equal(alice.of("error").length, 0);
});

Deno.test("One connection follows so many chats and no more", async () => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  for (let index = 0; index < 40; index++) peer.send({ type: "new_chat" });
  await peer.isCaughtUp();
  assert.equal(peer.of("attached").length, 31);
  assert.match(String(peer.of("error")[0]?.detail), /^too many chats/);
});

Deno.test("A recording is written down, and its message accepted before that", async () => {
  await using harness = await Harness.ready();
  harness.gateway.speech = { state: "transcribed", text: "good morning" };
  const peer = await harness.member("alice");
  const media = [{ name: "note.ogg", type: "audio/ogg", data: btoa("sound") }];
  peer.send(message("", { media, client_msg_id: "m1" }));
  await peer.has("accepted");
  assert.deepEqual(await harness.texts(1), ["[transcription: good morning]"]);
  assert.equal(harness.gateway.inbounds[0]?.media.length, 1);
});

Deno.test("People see that their message waits, and how it ended", async () => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  peer.send(message("hello", { client_msg_id: "m1" }));
  await peer.has("accepted");
  harness.channel.noteWaiting?.("alice:m1", true);
  assert.partialDeepStrictEqual(await peer.has("waiting"), { client_msg_id: "m1", waiting: true });
  const settled = { platformId: "alice:m1", outcome: "done", channelState: null } as const;
  const context = { client_msg_id: "m1" };
  await harness.deliver({ key: "k1", text: "hi", settles: [settled], context });
  const answer = await peer.has("message");
  assert.equal(answer.reply_to, "m1");
  assert.deepEqual(answer.settles, [{ client_msg_id: "m1", client_id: "alice", outcome: "done" }]);
  await harness.deliver({ key: "k2", text: "", settles: [{ ...settled, outcome: "stopped" }] });
  assert.partialDeepStrictEqual((await peer.has("settled")).settles, [{ outcome: "stopped" }]);
});
