import assert from "node:assert/strict";
import { dirname } from "node:path";
import { LogRecorder } from "../../support/log_recorder.ts";
import { ALICE_CHAT, Harness, TEAM } from "./harness.ts";

const BOT = "<@UBOT01>";

Deno.test("Slack hears a mention once, though it comes as a message and as a mention", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const { message, told } = platform.says({ channel: TEAM, text: `${BOT} hello` });
  assert.deepEqual(await harness.texts(1), ["Alice (UALICE): hello"]);
  await harness.letPass(4_000);
  assert.equal(gateway.inbounds.length, 1);
  assert.deepEqual(told.map(({ isAcknowledged }) => isAcknowledged), [true, true]);
  assert.equal(gateway.inbounds[0]?.platformId, `${TEAM}:${message.ts}`);
});

Deno.test("Slack hears a mention of which only the mention is told", async () => {
  await using harness = await Harness.ready();
  harness.platform.says({ channel: TEAM, text: `${BOT} hello`, as: "app_mention" });
  assert.deepEqual(await harness.texts(1), ["Alice (UALICE): hello"]);
});

Deno.test("Slack hears a direct message that mentions the bot", async () => {
  await using harness = await Harness.ready();
  harness.platform.says({ text: `${BOT} are you there?` });
  assert.deepEqual(await harness.texts(1), ["are you there?"]);
});

Deno.test("Slack takes the mention out of the text wherever it stands", async () => {
  await using harness = await Harness.ready();
  harness.platform.says({ channel: TEAM, text: `hello ${BOT} and ${BOT}  <@UBOB>` });
  assert.deepEqual(await harness.texts(1), ["Alice (UALICE): hello and @Bob (UBOB)"]);
});

Deno.test("Slack says so when a message only mentions the bot", async () => {
  await using harness = await Harness.ready();
  harness.platform.says({ channel: TEAM, text: BOT });
  assert.deepEqual(await harness.texts(1), ["Alice (UALICE): (only mentions you)"]);
});

Deno.test("Slack reads Slack's own spelling as people do", async () => {
  await using harness = await Harness.ready();
  harness.platform.says({
    text: "a &lt;b&gt; &amp; <https://x.org/?a=1&amp;b=2|a page> <https://y.org> " +
      "<#C0OTHER|channel_x> <!here> <mailto:a@b.c|a@b.c> <@UBOB>",
  });
  assert.deepEqual(await harness.texts(1), [
    "a <b> & a page (https://x.org/?a=1&b=2) https://y.org #channel_x (C0OTHER) @here a@b.c " +
    "@Bob (UBOB)",
  ]);
});

Deno.test("Slack acknowledges only what the gateway took", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const gate = Promise.withResolvers<void>();
  gateway.gate = gate.promise;
  const { told: [delivery] } = platform.says({ text: "hello" });
  await harness.letPass(500);
  assert.equal(delivery?.isAcknowledged, false);
  gate.resolve();
  await harness.passUntil(() => delivery?.isAcknowledged === true, "an acknowledgement");
});

Deno.test.each(
  [
    ["its own messages", { user: "UBOT01" }],
    ["other apps' messages", { bot_id: "BOTHER" }],
    ["what apps post", { subtype: "bot_message", bot_id: "BOTHER", user: "" }],
    ["edits", { subtype: "message_changed" }],
    ["who joined", { subtype: "channel_join" }],
  ] as const,
)("Slack passes over %s", async (_what, extra) => {
  await using harness = await Harness.ready();
  const { told: [delivery] } = harness.platform.says({ text: "hello", extra });
  await harness.passUntil(() => delivery?.isAcknowledged === true, "an acknowledgement");
  assert.deepEqual(harness.gateway.inbounds, []);
});

Deno.test.each(["file_share", "thread_broadcast", "me_message"])(
  "Slack hears messages of the kind %s",
  async (subtype) => {
    await using harness = await Harness.ready();
    harness.platform.says({ text: "hello", extra: { subtype } });
    assert.deepEqual(await harness.texts(1), ["hello"]);
  },
);

Deno.test("Slack starts a conversation in a thread below each mention", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const { message } = platform.says({ channel: TEAM, text: `${BOT} hello` });
  platform.says({ channel: TEAM, text: `${BOT} more`, threadTs: message.ts });
  platform.says({ channel: TEAM, text: `${BOT} other` });
  await harness.texts(3);
  const [first, second, third] = gateway.inbounds;
  assert.equal(first?.sessionKey, `slack:${TEAM}:${message.ts}`);
  assert.equal(second?.sessionKey, first?.sessionKey);
  assert.notEqual(third?.sessionKey, first?.sessionKey);
  assert.equal(first?.context["thread_ts"], message.ts);
});

Deno.test("Slack keeps a direct chat one conversation", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  platform.says({ text: "hello" });
  await harness.texts(1);
  const [inbound] = gateway.inbounds;
  assert.equal(inbound?.sessionKey, undefined);
  assert.equal(inbound?.chatId, ALICE_CHAT);
  assert.equal(inbound?.context["thread_ts"], undefined);
});

Deno.test("Slack goes on in a thread that it takes part in without being mentioned again", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const { message } = platform.says({ channel: TEAM, text: `${BOT} hello` });
  await harness.texts(1);
  platform.says({ channel: TEAM, text: "and then?", threadTs: message.ts });
  assert.deepEqual((await harness.texts(2))[1], "Alice (UALICE): and then?");
  await harness.restart();
  platform.says({ channel: TEAM, text: "still there?", threadTs: message.ts });
  platform.says({ channel: TEAM, text: "<@UBOB> look", threadTs: message.ts });
  platform.says({ channel: TEAM, text: "elsewhere" });
  assert.deepEqual((await harness.texts(3))[2], "Alice (UALICE): still there?");
  await harness.letPass(4_000);
  assert.equal(harness.gateway.inbounds.length, 3);
});

Deno.test("Slack reads what was said in a thread that it is called into", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const { message } = platform.says({ channel: TEAM, user: "UBOB", text: "The build is red" });
  platform.says({ channel: TEAM, text: "Since when?", threadTs: message.ts });
  platform.says({ channel: TEAM, text: `${BOT} look please`, threadTs: message.ts });
  assert.deepEqual(await harness.texts(1), [
    "[The thread so far:\nBob: The build is red\nAlice: Since when?]\n" +
    "Alice (UALICE): look please",
  ]);
});

Deno.test.each(
  [
    ["is off", { dm: { enabled: false } }, { text: "hello" }],
    ["lists others", { dm: { policy: "allowlist", allowFrom: ["UBOB"] } }, { text: "hello" }],
    [
      "lists other channels",
      { groupPolicy: "allowlist", groupAllowFrom: ["C0OTHER"] },
      { text: `${BOT} hello`, channel: TEAM },
    ],
  ] as const,
)("Slack hears nobody where its policy %s", async (_what, section, saying) => {
  await using harness = await Harness.ready(structuredClone(section));
  const { told: [delivery] } = harness.platform.says(saying);
  await harness.passUntil(() => delivery?.isAcknowledged === true, "an acknowledgement");
  assert.deepEqual(harness.gateway.inbounds, []);
});

Deno.test("Slack hears everything in channels that are listed", async () => {
  await using harness = await Harness.ready({
    groupPolicy: "allowlist",
    groupAllowFrom: [TEAM],
  });
  harness.platform.says({ channel: TEAM, text: "just talking" });
  assert.deepEqual(await harness.texts(1), ["Alice (UALICE): just talking"]);
});

Deno.test("Slack names a stranger in the log once", async () => {
  await using recorder = await LogRecorder.start();
  await using harness = await Harness.ready({ allowFrom: ["UALICE"] });
  harness.platform.says({ user: "UBOB", text: "let me in" });
  const { told: [second] } = harness.platform.says({ user: "UBOB", text: "please" });
  await harness.passUntil(() => second?.isAcknowledged === true, "an acknowledgement");
  const told = recorder.records.filter(({ message }) => message.join("").includes("UBOB"));
  assert.equal(told.length, 1);
});

Deno.test("Slack has what is said in a recording written down", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  gateway.speech = { state: "transcribed", text: "buy milk" };
  const file = platform.world.addFile("clip.m4a", "audio/mp4", Uint8Array.of(1, 2, 3));
  platform.says({ files: [file] });
  assert.deepEqual(await harness.texts(1), ["[transcription: buy milk]"]);
  assert.equal(gateway.heard.length, 1);
});

Deno.test("Slack keeps several files of a message apart", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const files = [1, 2].map((byte) =>
    platform.world.addFile("image.png", "image/png", Uint8Array.of(byte))
  );
  platform.says({ text: "two pictures", files });
  const [text = ""] = await harness.texts(1);
  assert.match(text, /^two pictures\n\[image: .+image\.png\]\n\[image: .+image\.png\]$/);
  const media = gateway.inbounds[0]?.media ?? [];
  assert.equal(new Set(media).size, 2);
  for (const [index, path] of media.entries()) {
    assert.equal(dirname(path), gateway.mediaFolder);
    assert.deepEqual(await Deno.readFile(path), Uint8Array.of(index + 1));
  }
});

Deno.test("Slack says that it lacks the scope for files when Slack shows a sign-in instead", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const file = platform.world.addFile("a.txt", "text/plain", Uint8Array.of(1));
  const page = platform.world.addFile("login", "text/html", Uint8Array.of(1));
  const address = `${platform.url}/files/${page.id}`;
  platform.says({
    extra: {
      files: [{ id: file.id, name: "a.txt", mimetype: "text/plain", url_private: address }],
    },
  });
  assert.deepEqual(await harness.texts(1), [
    "[file: download failed (a.txt: the app lacks the scope files:read)]",
  ]);
});

Deno.test("Slack gives its token to Slack alone", async () => {
  await using harness = await Harness.ready();
  harness.platform.says({
    extra: { files: [{ id: "F9", name: "a.txt", url_private: "http://evil.example/a.txt" }] },
  });
  assert.deepEqual(await harness.texts(1), [
    "[file: download failed (a.txt: Slack does not hold it)]",
  ]);
});

Deno.test("Slack names files that are held elsewhere", async () => {
  await using harness = await Harness.ready();
  const external = { id: "F9", title: "Plan", mode: "external", url_private: "https://d.org/p" };
  harness.platform.says({ text: "see", extra: { files: [external] } });
  assert.deepEqual(await harness.texts(1), ["see\n[file: Plan (https://d.org/p)]"]);
});

Deno.test("Slack tells what a person passes on", async () => {
  await using harness = await Harness.ready();
  const attachments = [{ is_share: true, author_name: "Bob", text: "the &lt;news&gt;" }];
  harness.platform.says({ text: "what is this?", extra: { attachments } });
  assert.deepEqual(await harness.texts(1), [
    "what is this?\n[Shared message of Bob: the <news>]",
  ]);
});

Deno.test("Slack drops a message that was deleted", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  platform.tell({
    type: "message",
    subtype: "message_deleted",
    channel: ALICE_CHAT,
    ts: "2.000001",
    deleted_ts: "1.000001",
  });
  await harness.passUntil(() => gateway.withdrawn.length > 0, "a message that is dropped");
  assert.deepEqual(gateway.withdrawn, [`${ALICE_CHAT}:1.000001`]);
});

Deno.test("Slack calls people by their ids when it may not know their names", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const refusal = { kind: "refusal", error: "missing_scope", needed: "users:read" } as const;
  platform.faults.plant("users.info", refusal, Infinity);
  platform.says({ channel: TEAM, text: `${BOT} one` });
  platform.says({ channel: TEAM, user: "UBOB", text: `${BOT} two` });
  assert.deepEqual(await harness.texts(2), ["UALICE: one", "UBOB: two"]);
});

Deno.test("Slack completes after a restart what was accepted before it", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const gate = Promise.withResolvers<void>();
  gateway.completionGate = gate.promise;
  platform.says({ channel: TEAM, text: `${BOT} hello` });
  await harness.passUntil(() => gateway.drafts.length === 1, "a draft");
  await harness.stop();
  gateway.completionGate = Promise.resolve();
  await harness.restart();
  assert.deepEqual(await harness.texts(1), ["Alice (UALICE): hello"]);
  gate.resolve();
});
