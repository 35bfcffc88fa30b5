import assert from "node:assert/strict";
import type { proto } from "@whiskeysockets/baileys";
import { LogRecorder } from "../../support/log_recorder.ts";
import { Harness } from "./harness.ts";

const HOUR_S = 3_600;
const REVOKE = 0;

Deno.test("WhatsApp takes a message back that its sender took back, and nobody else's", async () => {
  await using harness = await Harness.ready({ allowFrom: ["*"] });
  const { platform, alice, gateway } = harness;
  const bo = platform.addPerson("15551230002", { lid: "800000000000002", name: "Bo" });
  const id = platform.userSays({ from: alice, message: { conversation: "oh" } });
  await harness.texts(1);
  const message = { protocolMessage: { type: REVOKE, key: { id } } };
  platform.userSays({ from: bo, message });
  await harness.passUntil(() => gateway.withdrawn.length === 1, "what Bo took back");
  platform.userSays({ from: alice, message });
  await harness.passUntil(() => gateway.withdrawn.length === 2, "the withdrawal");
  platform.userSays({ from: alice, message: { conversation: "better" } });
  assert.deepEqual(await harness.texts(2), ["oh", "better"]);
  assert.deepEqual(gateway.withdrawn, [
    [id, bo.phoneJid, bo.phone].join("/"), // which is no message
    gateway.inbounds[0]?.platformId,
  ]);
});

Deno.test("WhatsApp shows that a message waits for its turn, and that its turn has come", async () => {
  await using harness = await Harness.ready({
    reactEmoji: "👀",
    queuedEmoji: "⏳",
    doneEmoji: "✅",
  });
  const { platform, alice, gateway, channel } = harness;
  platform.userSays({ from: alice, message: { conversation: "hi" } });
  await harness.texts(1);
  const platformId = gateway.inbounds[0]?.platformId ?? "";
  const touches = (what: string): number =>
    platform.touches.filter((touch) => touch === `chatstate ${what}`).length;
  await harness.passUntil(() => touches("composing") > 0, "typing");
  channel.noteWaiting?.(platformId, true);
  await harness.passUntil(() => touches("paused") === 1, "the end of typing");
  const typed = touches("composing");
  channel.noteWaiting?.(platformId, false);
  await harness.passUntil(() => touches("composing") > typed, "typing again");
  await harness.deliver({
    key: "a:0",
    text: "hello",
    settles: [{ platformId, outcome: "done", channelState: null }],
  });
  const reactions = (): readonly string[] => platform.chats.reactions.map(({ emoji }) => emoji);
  await harness.passUntil(() => reactions().length === 4, "the reactions");
  assert.deepEqual(reactions(), ["👀", "⏳", "👀", "✅"]);
});

Deno.test("WhatsApp answers quote the message they answer, in their first part alone", async () => {
  await using harness = await Harness.ready({ replyToMessage: true });
  const { platform, alice, gateway, folder } = harness;
  const id = platform.userSays({ from: alice, message: { conversation: "what is this?" } });
  await harness.texts(1);
  const context = gateway.inbounds[0]?.context ?? {};
  await Deno.writeTextFile(`${folder.path}/a.png`, "png");
  await harness.deliver({ key: "a:0", text: "this", media: [`${folder.path}/a.png`], context });
  const [picture, text] = platform.chats.of(alice.phoneJid).map(({ message }) => message);
  assert.partialDeepStrictEqual(picture?.imageMessage?.contextInfo, {
    stanzaId: id,
    participant: alice.phoneJid,
    quotedMessage: { conversation: "what is this?" },
  });
  assert.equal(text?.extendedTextMessage?.text, "this");
  assert.equal(text?.extendedTextMessage?.contextInfo ?? null, null);
});

Deno.test("WhatsApp says how late a message is, carries out no late command, and needs no bridge", async () => {
  await using recorder = await LogRecorder.start();
  await using harness = await Harness.ready({ bridgeUrl: "ws://127.0.0.1:3001" });
  assert.equal(recorder.warnings("no bridge is needed").length, 1);
  const { platform, alice } = harness;
  const nowSeconds = Math.floor(harness.clock.now() / 1_000);
  const says = (conversation: string, atSeconds: number): void =>
    void platform.userSays({ from: alice, message: { conversation }, atSeconds });
  says("in time", nowSeconds);
  says("/new", nowSeconds - HOUR_S);
  says("late", nowSeconds - 2 * HOUR_S);
  says("/new", nowSeconds);
  assert.deepEqual(await harness.texts(3), [
    "in time",
    "[sent 2 h 0 min ago, delivered late]\nlate",
    "/new",
  ]);
  assert.equal(recorder.warnings("Ignored a command").length, 1);
});

Deno.test("WhatsApp fetches videos, animations, stickers and documents, and tells a live place", async () => {
  await using harness = await Harness.ready();
  const { platform, alice, gateway } = harness;
  const put = (text: string, type: Parameters<typeof platform.media.put>[1]) =>
    platform.media.put(new TextEncoder().encode(text), type);
  const messages: readonly proto.IMessage[] = [
    { videoMessage: { ...put("video", "video"), caption: "look", mimetype: "video/mp4" } },
    { ptvMessage: { ...put("note", "video"), mimetype: "video/mp4" } },
    { videoMessage: { ...put("gif", "video"), gifPlayback: true, mimetype: "video/mp4" } },
    { stickerMessage: { ...put("sticker", "sticker"), mimetype: "image/webp" } },
    { liveLocationMessage: { degreesLatitude: 1.5, degreesLongitude: 2.5, caption: "here" } },
  ];
  for (const message of messages) platform.userSays({ from: alice, message });
  const texts = await harness.texts(messages.length);
  assert.deepEqual(texts.map((text) => text.replace(/: \S*(\.\w+)\]/, ": *$1]")), [
    "look\n[video: *.mp4]",
    "[video: *.mp4]",
    "[animation: *.mp4]",
    "[sticker: *.webp]",
    "[location: 1.5, 2.5]\nhere",
  ]);
  const files = gateway.inbounds.flatMap(({ media }) => media);
  assert.deepEqual(await Promise.all(files.map((path) => Deno.readTextFile(path))), [
    "video",
    "note",
    "gif",
    "sticker",
  ]);
});

Deno.test("WhatsApp knows a person by id alone in the moment after both were told", async () => {
  await using harness = await Harness.ready();
  const { platform, alice } = harness;
  platform.userSays({ from: alice, message: { conversation: "both" } });
  platform.userSays({ from: alice, message: { conversation: "id alone" }, named: "lid" });
  assert.deepEqual((await harness.texts(2)).toSorted(), ["both", "id alone"]);
});

Deno.test("WhatsApp knows a person by id alone whom it wrote to by number", async () => {
  await using harness = await Harness.ready();
  const { platform, alice } = harness;
  await harness.deliver({ key: "a:0", text: "good morning" });
  platform.userSays({ from: alice, message: { conversation: "and to you" }, named: "lid" });
  assert.deepEqual(await harness.texts(1), ["and to you"]);
});
