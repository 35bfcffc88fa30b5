import assert from "node:assert/strict";
import { basename, dirname } from "node:path";
import { LONG_STEP_MS } from "../../support/channel_bench.ts";
import { ALICE, GROUP, Harness } from "./harness.ts";

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 1, 2, 3);
const SOUND = new TextEncoder().encode("#!AMR some sound");

Deno.test("DingTalk keeps the sender of a group message apart from the group", async () => {
  await using harness = await Harness.ready();
  harness.platform.userSays({ conversationId: GROUP, mentionsRobot: true, text: "hello" });
  assert.deepEqual(await harness.texts(1), ["Alice (alice01): hello"]);
  const [inbound] = harness.gateway.inbounds;
  assert.partialDeepStrictEqual(inbound, {
    chatId: `group:${GROUP}`,
    senderId: ALICE,
    context: { conversation_type: "2", conversation_title: "Team", sender_name: "Alice" },
  });
  assert.equal(inbound?.sessionKey, undefined);
});

Deno.test("DingTalk gives everybody in a group a conversation of their own when asked to", async () => {
  await using harness = await Harness.ready({ groupUserIsolation: true });
  for (const from of [ALICE, "bo02"]) {
    harness.platform.userSays({ from, conversationId: GROUP, mentionsRobot: true, text: "hello" });
  }
  await harness.texts(2);
  assert.deepEqual(harness.gateway.inbounds.map(({ sessionKey }) => sessionKey), [
    `dingtalk:group:${GROUP}:user:alice01`,
    `dingtalk:group:${GROUP}:user:bo02`,
  ]);
});

Deno.test("DingTalk takes its own transcription of a recording, and fetches nothing", async () => {
  await using harness = await Harness.ready();
  const downloadCode = harness.platform.offerFile({ name: "a", bytes: SOUND });
  const content = { downloadCode, recognition: "turn the light on", duration: 900 };
  harness.platform.userSays({ extra: { msgtype: "audio", content } });
  assert.deepEqual(await harness.texts(1), ["turn the light on"]);
  assert.equal(harness.platform.effects, 0);
});

Deno.test("DingTalk has a recording written down that came without words", async () => {
  await using harness = await Harness.ready();
  harness.gateway.speech = { state: "transcribed", text: "turn it off" };
  const downloadCode = harness.platform.offerFile({ name: "a", bytes: SOUND });
  harness.platform.userSays({ extra: { msgtype: "audio", content: { downloadCode } } });
  assert.deepEqual(await harness.texts(1), ["[transcription: turn it off]"]);
  assert.match(harness.gateway.heard[0] ?? "", /\.amr$/);
});

Deno.test("DingTalk brings rich text with its pictures, each under a name of its own", async () => {
  await using harness = await Harness.ready();
  const pictures = [PNG, Uint8Array.of(...PNG, 9)];
  const [one = "", two = ""] = pictures.map((bytes) =>
    harness.platform.offerFile({ name: "", bytes })
  );
  const richText = [
    { text: "look at" },
    { type: "picture", downloadCode: one },
    { text: "and" },
    { type: "picture", downloadCode: two },
  ];
  const { msgId } = harness.platform.userSays({
    extra: { msgtype: "richText", content: { richText } },
  });
  const [text = ""] = await harness.texts(1);
  assert.match(text, /^look at and\n\[image: .+\]\n\[image: .+\]$/);
  const media = harness.gateway.inbounds[0]?.media ?? [];
  assert.deepEqual(await Promise.all(media.map((path) => Deno.readFile(path))), pictures);
  assert.equal(new Set(media.map((path) => basename(path))).size, 2);
  assert.ok(basename(media[0] ?? "").startsWith(msgId.replace(/=/g, "_")), String(media[0]));
});

Deno.test("DingTalk keeps pictures of one sender apart", async () => {
  await using harness = await Harness.ready();
  for (const bytes of [PNG, Uint8Array.of(...PNG, 9)]) {
    const downloadCode = harness.platform.offerFile({ name: "", bytes });
    harness.platform.userSays({ extra: { msgtype: "picture", content: { downloadCode } } });
  }
  await harness.texts(2);
  const paths = harness.gateway.inbounds.flatMap(({ media }) => media);
  assert.equal(new Set(paths).size, 2);
  assert.deepEqual([...new Set(paths.map((path) => dirname(path)))], [harness.gateway.mediaFolder]);
});

Deno.test("DingTalk tells what is answered, and whether it was the robot's", async () => {
  await using harness = await Harness.ready();
  const reply = (senderId: string) => ({
    msgtype: "text",
    text: {
      content: "why?",
      isReplyMsg: true,
      repliedMsg: { msgType: "text", senderId, content: { text: "because" } },
    },
  });
  harness.platform.userSays({ extra: reply("$:LWCP_v1:$robot") });
  harness.platform.userSays({ extra: reply("somebody") });
  assert.deepEqual(await harness.texts(2), [
    "[Reply to bot: because]\nwhy?",
    "[Reply to: because]\nwhy?",
  ]);
});

Deno.test("DingTalk answers what cannot be read, and brings nothing of it", async () => {
  await using harness = await Harness.ready();
  const { bringing } = harness.platform.userSays({ extra: { msgtype: "unknownMsgType" } });
  harness.platform.streams.babble("no frame at all");
  harness.platform.userSays({ text: "hello" });
  assert.deepEqual(await harness.texts(1), ["hello"]);
  assert.equal(bringing?.isAnswered, true);
});

Deno.test("DingTalk is not answered before the journal has the message", async () => {
  await using harness = await Harness.ready();
  const gate = Promise.withResolvers<void>();
  harness.gateway.gate = gate.promise;
  const { bringing } = harness.platform.userSays({ text: "hello" });
  await harness.letPass(1_000);
  assert.equal(bringing?.isAnswered, false);
  gate.resolve();
  await harness.passUntil(() => bringing?.isAnswered === true, "the answer");
  assert.equal(harness.gateway.inbounds.length, 1);
});

Deno.test("DingTalk brings again after a minute what the journal refused", async () => {
  await using harness = await Harness.ready();
  harness.gateway.answers.push("refused");
  const { bringing } = harness.platform.userSays({ text: "hello" });
  await harness.letPass(30_000, LONG_STEP_MS);
  assert.equal(harness.gateway.inbounds.length, 0);
  await harness.passUntil(() => harness.gateway.inbounds.length > 0, "the message", LONG_STEP_MS);
  await harness.passUntil(() => bringing?.isAnswered === true, "the answer");
  assert.equal(bringing?.attempts, 2);
});

Deno.test.each([
  "http://169.254.169.254/latest/meta-data",
  "https://evil.example/file",
  "file:///etc/passwd",
])("DingTalk fetches no file from %s", async (address) => {
  await using harness = await Harness.ready();
  const downloadCode = harness.platform.offerFile({ name: "a", bytes: PNG });
  harness.platform.world.addresses.set(downloadCode, address);
  const content = { downloadCode, fileName: "a.txt" };
  harness.platform.userSays({ extra: { msgtype: "file", content } });
  assert.deepEqual(await harness.texts(1), ["[file: download failed (DingTalk does not hold it)]"]);
});

Deno.test("DingTalk follows an address only to its own hosts", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const downloadCode = platform.offerFile({ name: "a", bytes: PNG });
  const send = (last: string) => {
    platform.world.addresses.set(downloadCode, `${platform.url}/files/sent-on-1`);
    platform.world.addresses.set("sent-on-1", last);
    platform.userSays({ extra: { msgtype: "file", content: { downloadCode, fileName: "a.txt" } } });
  };
  send("https://evil.example/file");
  await harness.texts(1);
  send(`${platform.url}/files/${downloadCode}`);
  const [refused, fetched] = await harness.texts(2);
  assert.equal(refused, "[file: download failed (DingTalk does not hold it)]");
  assert.match(fetched ?? "", /^\[file: .+a\.txt\]$/);
});
