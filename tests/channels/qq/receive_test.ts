import assert from "node:assert/strict";
import { basename, dirname } from "node:path";
import { ALICE, GROUP, GUILD, GUILD_MEMBER, Harness, MEMBER } from "./harness.ts";

const BYTES = new TextEncoder().encode("some bytes");

Deno.test("QQ takes a group's message for the group's, and its writer for the sender", async () => {
  await using harness = await Harness.ready();
  harness.platform.userSays({ from: MEMBER, group: GROUP, text: "hello" });
  assert.deepEqual(await harness.texts(1), [`${MEMBER}: hello`]);
  const [inbound] = harness.gateway.inbounds;
  assert.deepEqual([inbound?.chatId, inbound?.senderId], [GROUP, MEMBER]);
});

Deno.test("QQ takes a guild's direct message, and answers it in the guild", async () => {
  await using harness = await Harness.ready();
  const { chatId, context } = await harness.asked({ guild: GUILD });
  assert.equal(chatId, GUILD_MEMBER);
  await harness.deliver({ key: "a", chatId, context, text: "yes" });
  assert.deepEqual(harness.shown(GUILD), ["yes"]);
});

Deno.test.each([
  ["", ""],
  ["⏳ one moment", "⏳ one moment"],
])("QQ acknowledges a message with %j", async (ackMessage, said) => {
  await using harness = await Harness.ready({ section: { ackMessage } });
  for (const where of [{}, { group: GROUP }]) await harness.asked(where);
  await harness.letPass(500);
  for (const chatId of [ALICE, GROUP]) {
    const shown = harness.platform.shown(chatId);
    assert.deepEqual(shown.map(({ text }) => text), said === "" ? [] : [said]);
    const answered = harness.gateway.inbounds.find((inbound) => inbound.chatId === chatId);
    if (said !== "") assert.equal(shown[0]?.answers, answered?.platformId);
  }
});

Deno.test("QQ takes a message although its acknowledgement fails, and says so to nobody else", async () => {
  await using harness = await Harness.ready({ section: { ackMessage: "wait" } });
  harness.platform.faults.plant("message", { kind: "status", status: 500 });
  const { context } = await harness.asked();
  await harness.deliver({ key: "a", context, text: "done" });
  assert.deepEqual(harness.shown(), ["done"]);
});

Deno.test("QQ acknowledges no stranger, no command and no repetition", async () => {
  await using harness = await Harness.ready({
    section: { ackMessage: "wait", allowFrom: [ALICE] },
  });
  const { platform } = harness;
  platform.userSays({ from: "5TRANGER", text: "hello" });
  platform.userSays({ from: ALICE, text: "/status" });
  const id = platform.userSays({ from: ALICE, text: "hello" });
  platform.repeat(id, { from: ALICE, text: "hello" });
  assert.deepEqual(await harness.texts(2), ["/status", "hello"]);
  await harness.letPass(500);
  assert.deepEqual([harness.shown("5TRANGER"), harness.shown()], [[], ["wait"]]);
});

Deno.test("QQ ignores what says nothing", async () => {
  await using harness = await Harness.ready();
  harness.platform.userSays({ from: ALICE, text: "  " });
  harness.platform.tell("C2C_MESSAGE_CREATE", { id: "x" });
  harness.platform.tell("FRIEND_ADD", { openid: ALICE });
  harness.platform.userSays({ from: ALICE, text: "hi" });
  assert.deepEqual(await harness.texts(1), ["hi"]);
});

Deno.test.each([
  ["../../etc/passwd", /-passwd$/],
  ["文件（1）.jpg", /-文件（1）\.jpg$/],
  ["a;b$(c).txt", /-a_b__c_\.txt$/],
  ["", /-[0-9a-f]{16}$/],
])("QQ keeps a file called %j under a safe name", async (name, expected) => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const file = platform.offerFile({ name, bytes: BYTES });
  platform.userSays({ from: ALICE, text: "look", extra: { attachments: [file] } });
  const [text = ""] = await harness.texts(1);
  const [path = ""] = gateway.inbounds[0]?.media ?? [];
  assert.equal(dirname(path), gateway.mediaFolder);
  assert.match(basename(path), expected);
  assert.equal(text, `look\n[file: ${basename(path)}]`);
  assert.deepEqual(await Deno.readFile(path), BYTES);
});

Deno.test("QQ keeps pictures apart that are called the same", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const other = new TextEncoder().encode("other bytes");
  for (const bytes of [BYTES, other]) {
    const file = platform.offerFile({ name: "image.jpg", bytes, type: "image/jpeg" });
    platform.userSays({ from: ALICE, extra: { attachments: [file, file] } });
  }
  const [text = ""] = await harness.texts(2);
  assert.match(text, /^\[image: .+image\.jpg\]\n\[image: .+image\.jpg\]$/);
  const media = gateway.inbounds.flatMap((inbound) => inbound.media);
  assert.equal(new Set(media).size, 4);
  assert.deepEqual(await Deno.readFile(media[3] ?? ""), other);
});

Deno.test("QQ keeps nothing of a file that is too large", async () => {
  await using harness = await Harness.ready({ section: { downloadMaxBytes: 4 } });
  const { platform, gateway } = harness;
  const said = platform.offerFile({ name: "said.bin", bytes: BYTES });
  const unsaid = { ...platform.offerFile({ name: "unsaid.bin", bytes: BYTES }), size: 0 };
  platform.userSays({ from: ALICE, text: "two", extra: { attachments: [said, unsaid] } });
  const failed = "[file: download failed (too large)]";
  assert.deepEqual(await harness.texts(1), [`two\n${failed}\n${failed}`]);
  const kept = await Array.fromAsync(Deno.readDir(gateway.mediaFolder)).catch(() => []);
  assert.deepEqual(kept, []);
});

Deno.test("QQ says which file it could not fetch, and fetches none from elsewhere", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const gone = {
    ...platform.offerFile({ name: "a", bytes: BYTES }),
    url: `${platform.url}/files/99`,
  };
  const strange = { ...gone, url: "//169.254.169.254/latest" };
  platform.userSays({ from: ALICE, extra: { attachments: [gone, strange] } });
  assert.deepEqual(await harness.texts(1), [
    "[file: download failed (code 404)]\n" +
    "[file: download failed (it lies on a server that is not QQ's)]",
  ]);
});

Deno.test("QQ fetches a file again that broke off", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  platform.faults.plant("download", { kind: "status", status: 502 });
  const file = platform.offerFile({ name: "a.txt", bytes: BYTES });
  platform.userSays({ from: ALICE, extra: { attachments: [file] } });
  await harness.texts(1);
  assert.deepEqual(await Deno.readFile(gateway.inbounds[0]?.media[0] ?? ""), BYTES);
});

Deno.test("QQ writes down what is said, by QQ's own words where there are some", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  gateway.speech = { state: "transcribed", text: "good morning" };
  const sound = (bytes: Uint8Array<ArrayBuffer>) => ({
    ...platform.offerFile({ name: "a.amr", bytes, type: "voice" }),
    voice_wav_url: platform.offerFile({ name: "a.wav", bytes: BYTES })["url"] ?? "",
  });
  platform.userSays({ from: ALICE, extra: { attachments: [sound(BYTES)] } });
  const heard = { ...sound(BYTES), asr_refer_text: "早上好" };
  platform.userSays({ from: ALICE, extra: { attachments: [heard] } });
  const texts = await harness.texts(2);
  assert.deepEqual(texts, ["[transcription: good morning]", "[transcription: 早上好]"]);
  assert.match(gateway.heard.join(), /a\.amr\.wav$/);
});

Deno.test("QQ tells what is quoted, and faces as words", async () => {
  await using harness = await Harness.ready();
  const face = new TextEncoder().encode('{"text":"呲牙"}').toBase64();
  harness.platform.userSays({
    from: ALICE,
    text: `yes <faceType=1,faceId="13",ext="${face}">`,
    extra: { message_type: 103, msg_elements: [{ content: "shall\nwe?" }] },
  });
  assert.deepEqual(await harness.texts(1), ["[Reply to: shall we?]\nyes [呲牙]"]);
});

Deno.test("QQ says that a message came late, and leaves a late command alone", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  await harness.asked();
  const timestamp = new Date(harness.clock.now() - 20 * 60_000).toISOString();
  platform.userSays({ from: ALICE, text: "/stop", extra: { timestamp } });
  platform.userSays({ from: ALICE, text: "still there?", extra: { timestamp } });
  const [, late] = await harness.texts(2);
  assert.equal(late, "[sent 20 min ago, delivered late]\nstill there?");
});
