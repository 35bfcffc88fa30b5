import assert from "node:assert/strict";
import { until } from "../../support/until.ts";
import { Harness, LogRecorder } from "./harness.ts";

const KEY = "turn-1:0";
/** How a PNG begins. */
const PNG_BYTES = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

Deno.test("Feishu sends a short plain answer as text", async () => {
  await using harness = await Harness.ready();
  const ids = await harness.deliver({ key: KEY, text: "Hello, world!" });
  const shown = harness.platform.chat("ou_alice").fromBot;
  assert.deepEqual(shown.map(({ messageId }) => messageId), ids);
  assert.equal(shown[0]?.msgType, "text");
  assert.equal(shown[0]?.content, JSON.stringify({ text: "Hello, world!" }));
});

Deno.test.each([
  { text: "# Title\n\nBody", form: "interactive" },
  { text: "see [here](https://example.com)", form: "post" },
  { text: "word ".repeat(60), form: "post" },
])("Feishu sends what suits $form as $form", async ({ text, form }) => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: KEY, text });
  const [shown] = harness.platform.chat("ou_alice").fromBot;
  assert.equal(shown?.msgType, form);
  assert.equal(shown?.text, text.trim());
});

Deno.test("Feishu sends plain text as it is", async () => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: KEY, text: "# not a title", isPlain: true });
  const [shown] = harness.platform.chat("ou_alice").fromBot;
  assert.deepEqual([shown?.msgType, shown?.text], ["text", "# not a title"]);
});

Deno.test("Feishu shows nothing for a blank answer", async () => {
  await using harness = await Harness.ready();
  assert.deepEqual(await harness.deliver({ key: KEY, text: " \n" }), []);
  assert.deepEqual(harness.platform.chat("ou_alice").fromBot, []);
});

Deno.test("Feishu shows an answer once when the platform's answer was lost", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  platform.faults.plant("im.message.create", { kind: "lost_answer" });
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello" }), {
    code: "delivery_transient",
  });
  await harness.restart();
  const ids = await harness.deliver({ key: KEY, text: "Hello" });
  const shown = platform.chat("ou_alice").fromBot;
  assert.deepEqual(shown.map(({ text }) => text), ["Hello"]);
  assert.deepEqual(shown.map(({ messageId }) => messageId), ids);
});

Deno.test("Feishu stores the state of a short answer once, before it goes out", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const shownAtSave: number[] = [];
  gateway.onRemember = () => void shownAtSave.push(platform.chat("ou_alice").fromBot.length);
  await harness.deliver({ key: KEY, text: "Hello" });
  assert.deepEqual(shownAtSave, [0]);
});

Deno.test("Feishu does not repeat a send whose key the platform has forgotten", async () => {
  await using harness = await Harness.ready();
  const { platform, clock } = harness;
  platform.faults.plant("im.message.create", { kind: "lost_answer" });
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello" }), {
    code: "delivery_transient",
  });
  await clock.advance(56 * 60_000);
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello" }), { code: "delivery_unknown" });
  assert.equal(platform.chat("ou_alice").fromBot.length, 1);
});

Deno.test("Feishu goes on with the part that is missing", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const table = "| a | b |\n|---|---|\n| 1 | 2 |";
  const text = Array.from({ length: 7 }, (_, index) => `Table ${index}\n\n${table}`).join("\n\n");
  platform.faults.plant("im.message.create", { kind: "code", code: 230020 }, {
    when: (_path, body) => body.includes("Table 6"),
  });
  await assert.rejects(harness.deliverInTime({ key: KEY, text }), { code: "delivery_transient" });
  await harness.restart();
  const ids = await harness.deliverInTime({ key: KEY, text });
  assert.equal(ids.length, 2);
  const shown = platform.chat("ou_alice").fromBot;
  assert.deepEqual(shown.map(({ messageId }) => messageId), ids);
  const heads = shown.flatMap((message) => message.text.match(/Table \d/g) ?? []);
  assert.deepEqual(heads, Array.from({ length: 7 }, (_, index) => `Table ${index}`));
});

Deno.test("Feishu hands on how long the platform wants it to wait", async () => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant("im.message.create", {
    kind: "code",
    code: 99991400,
    status: 429,
    headers: { "x-ogw-ratelimit-reset": "7" },
  });
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello" }), {
    code: "delivery_transient",
    retryAfterMs: 7_000,
  });
});

Deno.test("Feishu says that a failure is permanent when the bot left the chat", async () => {
  await using harness = await Harness.ready();
  harness.platform.addGroup("oc_team");
  harness.platform.removeBot("oc_team");
  await assert.rejects(
    harness.deliver({ key: KEY, chatId: "oc_team", text: "Hello" }),
    { code: "delivery_permanent" },
  );
});

Deno.test("Feishu sends a refused card in a simpler form", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  platform.faults.plant("im.message.create", { kind: "code", code: 230099 });
  await harness.deliverInTime({ key: KEY, text: "# Title\n\nBody" });
  const [shown] = platform.chat("ou_alice").fromBot;
  assert.deepEqual([shown?.msgType, shown?.text], ["post", "# Title\n\nBody"]);
});

Deno.test("Feishu quotes the message it answers when told to", async () => {
  await using harness = await Harness.ready({ section: { replyToMessage: true } });
  const { platform } = harness;
  const said = platform.userSays({ text: "hello" });
  await said.acknowledged;
  const context = { message_id: said.messageId, chat_type: "p2p" };
  await harness.deliver({ key: KEY, text: "Hi", context });
  assert.equal(platform.chat("ou_alice").fromBot[0]?.parentId, said.messageId);
});

Deno.test("Feishu answers in the chat when the message to quote is gone", async () => {
  await using harness = await Harness.ready({ section: { replyToMessage: true } });
  const { platform } = harness;
  const said = platform.userSays({ text: "hello" });
  await said.acknowledged;
  platform.userRecalls(said.messageId);
  await harness.deliver({ key: KEY, text: "Hi", context: { message_id: said.messageId } });
  assert.deepEqual(platform.chat("ou_alice").fromBot.map(({ text }) => text), ["Hi"]);
});

Deno.test("Feishu sends files before the text and tells of those it cannot send", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await using harness = await Harness.ready();
    const { platform } = harness;
    const names = ["a.png", "b.mp4", "c.opus", "d.pdf", "e.bin", "no_picture.png"];
    for (const name of names) await Deno.writeTextFile(`${folder}/${name}`, `bytes of ${name}`);
    await Deno.writeFile(`${folder}/a.png`, PNG_BYTES);
    await Deno.writeTextFile(`${folder}/empty.txt`, "");
    const media = [...names, "empty.txt", "missing.txt"].map((name) => `${folder}/${name}`);
    await harness.deliverInTime({ key: KEY, text: "Here they are", media });
    const shown = platform.chat("ou_alice").fromBot;
    assert.deepEqual(shown.map(({ msgType }) => msgType), [
      "image",
      "media",
      "audio",
      "file",
      "file",
      "file",
      "text",
    ]);
    assert.equal(
      shown.at(-1)?.text,
      "Here they are\n\n(Could not send empty.txt: the file is empty)\n" +
        "(Could not send missing.txt: there is no such file)",
    );
    const key = JSON.parse(shown[4]?.content ?? "{}").file_key;
    assert.equal(new TextDecoder().decode(platform.file(key)?.bytes), "bytes of e.bin");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Feishu reacts to an accepted message and swaps the reaction when done", async () => {
  await using harness = await Harness.ready({
    section: { reactEmoji: "THUMBSUP", doneEmoji: "OK" },
  });
  const { platform, gateway } = harness;
  const said = platform.userSays({ text: "hello" });
  await until(() => gateway.inboundMemory.has(said.messageId), { what: "the reaction is stored" });
  const emoji = () => platform.message(said.messageId).reactions.map((reaction) => reaction.emoji);
  assert.deepEqual(emoji(), ["THUMBSUP"]);
  const settles = [{ platformId: said.messageId, outcome: "done", channelState: null } as const];
  await harness.deliver({ key: KEY, text: "Hi", settles });
  assert.deepEqual(emoji(), ["OK"]);
});

Deno.test("Feishu shows that a message waits, swaps that when it begins, and leaves nothing", async () => {
  await using harness = await Harness.ready({
    section: { reactEmoji: "THUMBSUP", queuedEmoji: "OneSecond", doneEmoji: "OK" },
  });
  const { platform, life: { channel } } = harness;
  const said = platform.userSays({ text: "hello" });
  const emoji = () => platform.message(said.messageId).reactions.map((reaction) => reaction.emoji);
  const shows = (wanted: string) =>
    until(() => emoji().join() === wanted, { what: `${wanted}, not ${emoji()}` });
  await shows("THUMBSUP");
  channel.noteWaiting?.(said.messageId, true);
  await shows("OneSecond");
  channel.noteWaiting?.(said.messageId, false);
  await shows("THUMBSUP");
  channel.noteWaiting?.(said.messageId, true);
  const settles = [{ platformId: said.messageId, outcome: "done", channelState: null } as const];
  await harness.deliver({ key: KEY, text: "Hi", settles });
  assert.deepEqual(emoji(), ["OK"]);
  channel.noteWaiting?.(said.messageId, true); // crossed with the answer
  await harness.deliver({ key: "k2", text: "More" });
  assert.deepEqual(emoji(), ["OK"]);
});

Deno.test("Feishu shows waiting alone where there is no emoji on receipt", async () => {
  await using harness = await Harness.ready({ section: { queuedEmoji: "OneSecond" } });
  const { platform, life: { channel } } = harness;
  const said = platform.userSays({ text: "hello" });
  await said.acknowledged;
  const emoji = () => platform.message(said.messageId).reactions.map((reaction) => reaction.emoji);
  channel.noteWaiting?.(said.messageId, true);
  await until(() => emoji().join() === "OneSecond");
  channel.noteWaiting?.(said.messageId, false);
  await until(() => emoji().length === 0);
  assert.equal(platform.calls("im.messageReaction.create").length, 1);
});

Deno.test("Feishu takes the sign of waiting of an earlier Worker away", async () => {
  await using harness = await Harness.ready({
    section: { reactEmoji: "THUMBSUP", queuedEmoji: "OneSecond" },
  });
  const { platform, gateway } = harness;
  const said = platform.userSays({ text: "hello" });
  const emoji = () => platform.message(said.messageId).reactions.map((reaction) => reaction.emoji);
  await until(() => emoji().join() === "THUMBSUP");
  harness.life.channel.noteWaiting?.(said.messageId, true);
  await until(() => emoji().join() === "OneSecond");
  await harness.restart();
  harness.life.channel.noteWaiting?.(said.messageId, false); // it knows nothing of the message
  const channelState = gateway.inboundMemory.get(said.messageId) ?? null;
  const settles = [{ platformId: said.messageId, outcome: "done", channelState } as const];
  await harness.deliver({ key: KEY, text: "Hi", settles });
  assert.deepEqual(emoji(), []);
});

Deno.test("Feishu changes no reaction when a message waits and no emoji says so", async () => {
  await using harness = await Harness.ready({ section: { reactEmoji: "THUMBSUP" } });
  const { platform, gateway, life: { channel } } = harness;
  const said = platform.userSays({ text: "hello" });
  await until(() => gateway.inboundMemory.has(said.messageId));
  channel.noteWaiting?.(said.messageId, true);
  channel.noteWaiting?.(said.messageId, false);
  await harness.deliver({ key: KEY, text: "Hi" });
  assert.equal(platform.calls("im.messageReaction.create").length, 1);
  assert.equal(platform.calls("im.messageReaction.delete").length, 0);
});

Deno.test("Feishu keeps the emoji of receipt where that of waiting is unknown", async () => {
  await using harness = await Harness.ready({
    section: { reactEmoji: "THUMBSUP", queuedEmoji: "NO_SUCH_EMOJI" },
  });
  const { platform, gateway, life: { channel } } = harness;
  const said = platform.userSays({ text: "hello" });
  await until(() => gateway.inboundMemory.has(said.messageId));
  channel.noteWaiting?.(said.messageId, true);
  channel.noteWaiting?.(said.messageId, false);
  const settles = [{ platformId: said.messageId, outcome: "done", channelState: null } as const];
  await harness.deliver({ key: KEY, text: "Hi", settles });
  assert.deepEqual(platform.message(said.messageId).reactions, []);
});

Deno.test("Feishu takes the reaction of an earlier Worker away", async () => {
  await using harness = await Harness.ready({ section: { reactEmoji: "THUMBSUP" } });
  const { platform, gateway } = harness;
  const said = platform.userSays({ text: "hello" });
  await until(() => gateway.inboundMemory.has(said.messageId));
  await harness.restart();
  const channelState = gateway.inboundMemory.get(said.messageId) ?? null;
  const settles = [{ platformId: said.messageId, outcome: "stopped", channelState } as const];
  await harness.deliver({ key: KEY, text: "Stopped", settles });
  assert.deepEqual(platform.message(said.messageId).reactions, []);
});

Deno.test("Feishu settles a message also when its answer is blank", async () => {
  await using harness = await Harness.ready({ section: { doneEmoji: "OK" } });
  const { platform } = harness;
  const said = platform.userSays({ text: "hello" });
  await said.acknowledged;
  const settles = [{ platformId: said.messageId, outcome: "done", channelState: null } as const];
  await harness.deliver({ key: KEY, text: "", settles });
  assert.deepEqual(platform.message(said.messageId).reactions.map(({ emoji }) => emoji), ["OK"]);
});

Deno.test("Feishu gives an unknown emoji up after one try", async () => {
  await using recorder = await LogRecorder.start();
  await using harness = await Harness.ready({ section: { reactEmoji: "NO_SUCH_EMOJI" } });
  const { platform } = harness;
  await platform.userSays({ text: "one" }).acknowledged;
  await until(() => recorder.warnings("There is no emoji").length === 1);
  await platform.userSays({ text: "two" }).acknowledged;
  await harness.deliver({ key: KEY, text: "Hi" });
  assert.equal(platform.calls("im.messageReaction.create").length, 1);
});

Deno.test("Feishu delivers although reactions fail", async () => {
  await using harness = await Harness.ready({ section: { reactEmoji: "THUMBSUP" } });
  const { platform } = harness;
  platform.faults.plant("im.messageReaction.create", { kind: "status", status: 500 });
  const said = platform.userSays({ text: "hello" });
  await said.acknowledged;
  const settles = [{ platformId: said.messageId, outcome: "done", channelState: null } as const];
  const ids = await harness.deliver({ key: KEY, text: "Hi", settles });
  assert.equal(ids.length, 1);
});
