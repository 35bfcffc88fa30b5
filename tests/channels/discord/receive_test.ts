import assert from "node:assert/strict";
import { basename } from "node:path";
import type { SimUser } from "../../simulators/discord_server.ts";
import { Harness } from "./harness.ts";

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

Deno.test("Discord hands in a direct message with what answers it in its place", async () => {
  await using harness = await Harness.ready();
  const said = harness.says("hello");
  await harness.texts(1);
  assert.deepEqual(harness.gateway.inbounds[0], {
    platformId: said.id,
    chatId: harness.direct.id,
    senderId: harness.alice.id,
    content: "hello",
    media: [],
    context: {
      message_id: said.id,
      channel_id: harness.direct.id,
      guild_id: null,
      reply_to: null,
    },
  });
});

Deno.test("Discord ignores itself, other bots, and what is no message", async () => {
  await using harness = await Harness.ready({ section: { allowFrom: ["*"], groupPolicy: "open" } });
  const { platform, team } = harness;
  const otherBot = platform.world.addUser("other", { isBot: true });
  platform.userSays({ author: platform.world.bot, channel: team, text: "own" });
  platform.userSays({ author: otherBot, channel: team, text: "beep" });
  platform.userSays({ author: harness.alice, channel: team, type: 7 });
  platform.userSays({ author: harness.alice, channel: team, text: "last" });
  assert.match((await harness.texts(1))[0] ?? "", /last$/);
});

Deno.test("Discord hears another bot that is named in allowFrom", async () => {
  let helper: SimUser | undefined;
  await using harness = await Harness.ready({
    section: ({ platform }) => {
      helper = platform.world.addUser("helper", { isBot: true });
      return { allowFrom: [helper.id], groupPolicy: "open" };
    },
  });
  assert.ok(helper);
  harness.platform.userSays({ author: helper, channel: harness.team, text: "beep" });
  await harness.texts(1);
  assert.equal(harness.gateway.inbounds[0]?.senderId, helper.id);
});

Deno.test.each([
  { allowed: "its channel", isHeard: true },
  { allowed: "another channel", isHeard: false },
])("Discord hears a thread when $allowed is allowed: $isHeard", async ({ isHeard }) => {
  await using harness = await Harness.ready({
    section: ({ team }) => ({ groupPolicy: "open", allowChannels: [isHeard ? team.id : "999"] }),
  });
  const thread = harness.platform.addThread(harness.team, "topic", { isTold: false });
  harness.says({ channel: thread, text: "in a thread" });
  if (isHeard) await harness.texts(1);
  else await harness.letPass(1_000);
  assert.equal(harness.gateway.inbounds.length, isHeard ? 1 : 0);
});

Deno.test("Discord keeps a thread of which it was never told apart from its channel", async () => {
  await using harness = await Harness.ready({ section: { groupPolicy: "open" } });
  const thread = harness.platform.addThread(harness.team, "topic", { isTold: false });
  harness.says({ channel: thread, text: "one" });
  harness.says({ channel: harness.team, text: "two" });
  await harness.texts(2);
  const [one, two] = harness.gateway.inbounds.toSorted((a, b) =>
    a.content.endsWith("one") && !b.content.endsWith("one") ? -1 : 1
  );
  assert.equal(one?.chatId, harness.team.id);
  assert.equal(one?.sessionKey, `discord:${harness.team.id}:thread:${thread.id}`);
  assert.equal(two?.sessionKey, undefined);
});

Deno.test("Discord says who speaks in a server, and takes the mention in front away", async () => {
  await using harness = await Harness.ready();
  const { platform, team, alice } = harness;
  const bo = platform.addPerson("bo", "Bo");
  const botId = platform.world.bot.id;
  harness.says({ channel: team, text: `<@${botId}> ask <@${bo.id}> <:smile:123>` });
  harness.says({ channel: team, text: `<@!${botId}> /stop` });
  assert.deepEqual(await harness.texts(2), [
    `Alice (${alice.id}): ask @Bo :smile:`,
    "/stop",
  ]);
});

Deno.test("Discord keeps attachments under safe names, and names them", async () => {
  await using harness = await Harness.ready();
  harness.says({
    text: "see",
    files: [{ name: "../photo.png", bytes: PNG, contentType: "image/png" }],
  });
  assert.deepEqual(await harness.texts(1), ["see\n[attachment: .._photo.png]"]);
  const [path = ""] = harness.gateway.inbounds[0]?.media ?? [];
  assert.match(basename(path), /^\d+-_?photo\.png$/);
  assert.deepEqual(await Deno.readFile(path), PNG);
});

Deno.test("Discord says that a file could not be fetched, and hands the rest in", async () => {
  await using harness = await Harness.ready();
  const { world } = harness.platform;
  harness.gateway.completionGate = Promise.resolve();
  const message = world.addMessage({
    channelId: harness.direct.id,
    author: harness.alice,
    text: "see",
    files: [{ id: "1", name: "gone.png", bytes: PNG, contentType: "image/png", duration: null }],
  });
  harness.platform.tellOf(message);
  const [text = ""] = await harness.texts(1);
  assert.match(text, /^see\n\[attachment: gone\.png - download failed/);
  assert.deepEqual(harness.gateway.inbounds[0]?.media, []);
});

Deno.test("Discord has voice messages written down", async () => {
  await using harness = await Harness.ready();
  harness.gateway.speech = { state: "transcribed", text: "call me back" };
  harness.says({
    files: [{ name: "voice.ogg", bytes: PNG, contentType: "audio/ogg", duration: 3 }],
  });
  assert.deepEqual(await harness.texts(1), ["[transcription: call me back]"]);
  assert.equal(harness.gateway.heard.length, 1);
});

Deno.test("Discord brings the words that are answered, and those of a forwarded message", async () => {
  await using harness = await Harness.ready({ section: { groupPolicy: "open" } });
  const { team, platform } = harness;
  const bo = platform.addPerson("bo", "Bo");
  const earlier = platform.world.addMessage({ channelId: team.id, author: bo, text: "at\nnine" });
  const text = "is that right?";
  harness.says({ channel: team, text, referenceId: earlier.id });
  harness.says({ channel: team, text, referenceId: earlier.id, hidesReference: true });
  harness.says({
    extras: {
      message_reference: { type: 1, message_id: "5" },
      message_snapshots: [{ message: { content: "handed on", attachments: [], embeds: [] } }],
    },
  });
  const texts = await harness.texts(3);
  const said = `[Reply to Bo: at nine]\nAlice (${harness.alice.id}): is that right?`;
  assert.deepEqual(texts.toSorted(), [said, said, "[forwarded: handed on]"].toSorted());
});

Deno.test("Discord does not quote what the bot said last", async () => {
  await using harness = await Harness.ready();
  const [id = ""] = await harness.deliver({ key: "t:0", text: "It is noon" });
  harness.says({ text: "sure?", referenceId: id });
  assert.deepEqual(await harness.texts(1), ["sure?"]);
});

Deno.test("Discord makes words of stickers, polls and embeds", async () => {
  await using harness = await Harness.ready();
  harness.says({
    extras: {
      sticker_items: [{ id: "1", name: "Wave", format_type: 1 }],
      poll: {
        question: { text: "Lunch?" },
        answers: [{ answer_id: 1, poll_media: { text: "Yes" } }, {
          answer_id: 2,
          poll_media: { text: "No" },
        }],
      },
      embeds: [{ type: "rich", title: "Build", description: "failed", fields: [] }, {
        type: "link",
        title: "a preview",
      }],
    },
  });
  assert.deepEqual(await harness.texts(1), [
    "[Build\nfailed]\n[sticker: Wave]\n[poll: Lunch? Yes / No]",
  ]);
});

Deno.test("Discord drops a message that is taken back", async () => {
  await using harness = await Harness.ready();
  const said = harness.says("oops");
  await harness.texts(1);
  harness.platform.userDeletes(said);
  await harness.passUntil(() => harness.gateway.withdrawn.length > 0, "the withdrawal");
  assert.deepEqual(harness.gateway.withdrawn, [said.id]);
});

Deno.test("Discord completes what an earlier life accepted", async () => {
  await using harness = await Harness.ready();
  const gate = Promise.withResolvers<void>();
  harness.gateway.completionGate = gate.promise;
  harness.says({ text: "see", files: [{ name: "a.txt", bytes: PNG }] });
  await harness.passUntil(() => harness.gateway.drafts.length === 1, "the draft");
  await harness.stop();
  harness.gateway.completionGate = Promise.resolve();
  await harness.restart();
  assert.deepEqual(await harness.texts(1), ["see\n[attachment: a.txt]"]);
});
