import assert from "node:assert/strict";
import { basename } from "node:path";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { ALICE, GROUP, Harness } from "./harness.ts";

const BYTES = new TextEncoder().encode("some bytes");

Deno.test("Telegram hands a direct message in with what an answer needs", async () => {
  await using harness = await Harness.ready();
  const { messageId } = harness.platform.userSays({ text: "hello" });
  await harness.texts(1);
  assert.deepEqual(harness.gateway.inbounds, [{
    platformId: `4242:${ALICE}:${messageId}`,
    chatId: String(ALICE),
    senderId: String(ALICE),
    content: "hello",
    media: [],
    context: {
      message_id: messageId,
      user_id: ALICE,
      first_name: "Alice",
      username: "alice",
      is_group: false,
      is_forum: false,
    },
  }]);
});

Deno.test("Telegram confirms an update only when the gateway has it", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const gate = Promise.withResolvers<void>();
  gateway.gate = gate.promise;
  platform.userSays({ text: "hello" });
  await harness.letPass(1_000);
  assert.equal(platform.unconfirmed, 1);
  gate.resolve();
  await harness.passUntil(() => platform.unconfirmed === 0, "a confirmation");
  assert.equal(gateway.inbounds.length, 1);
});

Deno.test("Telegram confirms nothing behind a message that was refused", async () => {
  await using harness = await Harness.ready();
  harness.gateway.answers.push("refused");
  harness.platform.userSays({ text: "one" });
  harness.platform.userSays({ text: "two" });
  assert.deepEqual(await harness.texts(2), ["one", "two"]);
});

Deno.test.each<{ readonly list: string[]; readonly username?: string; readonly isIn: boolean }>([
  { list: ["77"], isIn: true },
  { list: ["carol"], username: "carol", isIn: true },
  { list: ["77|carol"], username: "carol", isIn: true },
  { list: ["77|other"], username: "carol", isIn: false },
  { list: ["carol"], username: "carol2", isIn: false },
  { list: ["7"], isIn: false },
  { list: [], isIn: false },
  { list: ["*"], isIn: true },
])("Telegram lets 77 ($username) in under $list: $isIn", async ({ list, username, isIn }) => {
  await using harness = await Harness.ready({ section: { allowFrom: list } });
  const { platform, gateway } = harness;
  platform.addPerson(77, { firstName: "Carol", ...(username !== undefined && { username }) });
  platform.userSays({ from: 77, text: "hello" });
  await harness.passUntil(() => platform.unconfirmed === 0, "a confirmation");
  assert.equal(gateway.inbounds.length, isIn ? 1 : 0);
});

Deno.test.each<{ readonly text: string; readonly extra?: JsonObject; readonly isHeard: boolean }>([
  { text: "just talking", isHeard: false },
  { text: "hi @troupe_bot", isHeard: true },
  { text: "hi @Troupe_Bot!", isHeard: true },
  { text: "hi @troupe_bot2", isHeard: false },
  { text: "mail@troupe_bot", isHeard: false },
  { text: "/new@troupe_bot", isHeard: true },
  { text: "/new@other_bot", isHeard: false },
  { text: "/new", isHeard: false },
  {
    text: "hi bot",
    extra: {
      entities: [{ type: "text_mention", offset: 3, length: 3, user: { id: 4_242 } }],
    },
    isHeard: true,
  },
  { text: "", extra: { caption: "see @troupe_bot", photo: [] }, isHeard: true },
  { text: "", extra: { new_chat_members: [] }, isHeard: false },
  { text: "@troupe_bot", extra: { sender_chat: { title: "Team" } }, isHeard: false },
])("Telegram hears $text in a group: $isHeard", async ({ text, extra, isHeard }) => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  platform.userSays({ chatId: GROUP, text, ...(extra && { extra }) });
  await harness.passUntil(() => platform.unconfirmed === 0, "a confirmation");
  assert.equal(gateway.inbounds.length, isHeard ? 1 : 0);
});

Deno.test("Telegram hears an answer to the bot, and tells what is answered", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  await harness.deliver({ key: "k", chatId: String(GROUP), text: "Shall I?" });
  const [said] = platform.shown(GROUP);
  platform.userSays({ chatId: GROUP, text: "please do", replyTo: said?.id ?? 0 });
  assert.deepEqual(await harness.texts(1), [
    "Alice (@alice): [Reply to bot: Shall I?]\nplease do",
  ]);
});

Deno.test.each([
  { from: { username: "bo", first_name: "Bo" }, text: "words", tag: "[Reply to @bo: words]\nyes" },
  { from: { first_name: "Bo" }, text: "words", tag: "[Reply to Bo: words]\nyes" },
  { from: { first_name: "" }, text: "words", tag: "[Reply to: words]\nyes" },
  { from: { first_name: "Bo" }, text: "", tag: "yes" },
  {
    from: { first_name: "Bo" },
    text: "x".repeat(5_000),
    tag: `[Reply to Bo: ${"x".repeat(4_000)}...]\nyes`,
  },
])("Telegram quotes what is answered, case %#", async ({ from, text, tag }) => {
  await using harness = await Harness.ready();
  const answered = {
    message_id: 900,
    chat: { id: ALICE, type: "private" },
    from: { id: 5, is_bot: false, ...from },
    text,
  };
  harness.platform.userSays({ text: "yes", extra: { reply_to_message: answered } });
  assert.deepEqual(await harness.texts(1), [tag]);
});

Deno.test("Telegram quotes the words that were picked", async () => {
  await using harness = await Harness.ready();
  const answered = { message_id: 900, chat: { id: ALICE, type: "private" }, text: "a, b and c" };
  harness.platform.userSays({
    text: "why?",
    extra: { reply_to_message: answered, quote: { text: "b" } },
  });
  assert.deepEqual(await harness.texts(1), ["[Reply to: b]\nwhy?"]);
});

Deno.test.each([
  { said: "/new", handed: "/new" },
  { said: "/dream_log@troupe_bot deadbeef", handed: "/dream-log deadbeef" },
  { said: "/dream-log@troupe_bot deadbeef", handed: "/dream-log deadbeef" },
  { said: "/dream_restore deadbeef", handed: "/dream-restore deadbeef" },
  { said: "/start", handed: "/help" },
  { said: "/unknown_word x", handed: "/unknown_word x" },
  { said: "@troupe_bot /new", handed: "/new" },
  { said: "/usr/bin is a folder", handed: "/usr/bin is a folder" },
])("Telegram hands $said in as $handed", async ({ said, handed }) => {
  await using harness = await Harness.ready();
  harness.platform.userSays({ text: said });
  assert.deepEqual(await harness.texts(1), [handed]);
});

Deno.test("Telegram keeps a command that answers something bare", async () => {
  await using harness = await Harness.ready();
  const answered = { message_id: 900, chat: { id: ALICE, type: "private" }, text: "old words" };
  harness.platform.userSays({ text: "/new", extra: { reply_to_message: answered } });
  assert.deepEqual(await harness.texts(1), ["/new"]);
});

Deno.test("Telegram ignores a command that comes late, and says how late other words come", async () => {
  await using harness = await Harness.ready();
  const { platform, clock, gateway } = harness;
  await platform.userSays({ text: "first" });
  await harness.texts(1);
  const date = Math.floor(clock.now() / 1_000) - 2 * 3_600;
  platform.userSays({ text: "/stop", extra: { date } });
  platform.userSays({ text: "are you there?", extra: { date } });
  await harness.texts(2);
  assert.equal(
    gateway.inbounds[1]?.content,
    "[sent 2 h 0 min ago, delivered late]\nare you there?",
  );
});

Deno.test.each<{ readonly extra: JsonObject; readonly text: string }>([
  {
    extra: { location: { latitude: 48.8566, longitude: 2.3522 } },
    text: "[location: 48.8566, 2.3522]",
  },
  { extra: { contact: { phone_number: "+1", first_name: "Bo" } }, text: "[contact: Bo, +1]" },
  {
    extra: { poll: { question: "Tea?", options: [{ text: "yes" }, { text: "no" }] } },
    text: "[poll: Tea? (yes / no)]",
  },
  { extra: { dice: { emoji: "🎲", value: 4 } }, text: "[🎲 4]" },
  {
    extra: {
      location: { latitude: 1, longitude: 2 },
      venue: { title: "Cafe", address: "Street 1", location: { latitude: 1, longitude: 2 } },
    },
    text: "[venue: Cafe, Street 1]\n[location: 1, 2]",
  },
])("Telegram reads $text", async ({ extra, text }) => {
  await using harness = await Harness.ready();
  harness.platform.userSays({ extra });
  assert.deepEqual(await harness.texts(1), [text]);
});

Deno.test("Telegram puts words before a location, and says what was forwarded", async () => {
  await using harness = await Harness.ready();
  harness.platform.userSays({
    text: "here",
    extra: {
      location: { latitude: 1, longitude: 2 },
      forward_origin: { type: "hidden_user", sender_user_name: "Zoe" },
    },
  });
  assert.deepEqual(await harness.texts(1), ["[Forwarded from Zoe]\nhere\n[location: 1, 2]"]);
});

Deno.test.each([
  { kind: "photo", name: "", text: /^\[image: \S+\.jpg\]$/ },
  { kind: "voice", name: "", text: /^\[voice: \S+\.ogg\]$/ },
  { kind: "audio", name: "song.mp3", text: /^\[audio: \S+song\.mp3\]$/ },
  { kind: "document", name: "v1.2 notes.tar.gz", text: /^\[file: \S+v1\.2 notes\.tar\.gz\]$/ },
  { kind: "video", name: "clip.mp4", text: /^\[video: \S+clip\.mp4\]$/ },
  { kind: "video_note", name: "", text: /^\[video: \S+\.mp4\]$/ },
  { kind: "animation", name: "fun.mp4", text: /^\[animation: \S+fun\.mp4\]$/ },
  { kind: "sticker", name: "", text: /^\[sticker: \S+\.webp\]$/ },
])("Telegram fetches a $kind", async ({ kind, name, text }) => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const offered = platform.offerFile({ name: "x", bytes: BYTES });
  const file = name === "" ? offered : { ...offered, file_name: name };
  platform.userSays({
    extra: { [kind]: kind === "photo" ? [{ ...file, file_id: "small" }, file] : file },
  });
  const [content = ""] = await harness.texts(1);
  assert.match(content, text);
  const [path = ""] = gateway.inbounds[0]?.media ?? [];
  assert.ok(content.includes(basename(path)));
  assert.deepEqual(await Deno.readFile(path), BYTES);
});

Deno.test("Telegram writes down what a voice message says", async () => {
  await using harness = await Harness.ready();
  harness.gateway.speech = { state: "transcribed", text: "good morning" };
  const voice = harness.platform.offerFile({ name: "x", bytes: BYTES });
  harness.platform.userSays({ extra: { voice } });
  assert.deepEqual(await harness.texts(1), ["[transcription: good morning]"]);
  assert.equal(harness.gateway.inbounds[0]?.media.length, 1);
});

Deno.test("Telegram confirms a file before it is fetched, and fetches it after a restart", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const gate = Promise.withResolvers<void>();
  platform.faults.plant("getFile", { kind: "wait", gate: gate.promise });
  const document = { ...platform.offerFile({ name: "x", bytes: BYTES }), file_name: "a.txt" };
  platform.userSays({ text: "", extra: { document, caption: "look" } });
  platform.userSays({ text: "/stop" });
  await harness.passUntil(() => platform.unconfirmed === 0, "a confirmation");
  assert.deepEqual(gateway.inbounds.map(({ content }) => content), ["", "/stop"]);
  await harness.stop();
  gate.resolve();
  await harness.restart();
  const [content = ""] = await harness.texts(2);
  assert.match(content, /^look\n\[file: \S+a\.txt\]$/);
});

Deno.test("Telegram says that a file is larger than bots may fetch, and asks for nothing", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const video = platform.offerFile({ name: "x", bytes: BYTES, size: 30 * 1024 * 1024 });
  platform.userSays({ extra: { video, caption: "watch" } });
  const [content = ""] = await harness.texts(1);
  assert.match(content, /^watch\n\[video: download failed \(larger than 20 MB/);
  assert.equal(platform.calls.some(({ method }) => method === "getFile"), false);
});

Deno.test("Telegram tries a download again that failed for now", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  platform.faults.plant("getFile", { kind: "status", status: 502 });
  const document = { ...platform.offerFile({ name: "x", bytes: BYTES }), file_name: "a.txt" };
  platform.userSays({ extra: { document } });
  const [content = ""] = await harness.texts(1);
  assert.match(content, /^\[file: \S+a\.txt\]$/);
});

Deno.test("Telegram puts the file of a quoted message before its own", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const theirs = platform.offerFile({ name: "x", bytes: BYTES });
  const ours = { ...platform.offerFile({ name: "y", bytes: BYTES }), file_name: "mine.txt" };
  platform.userSays({
    extra: {
      document: ours,
      reply_to_message: { message_id: 900, chat: { id: ALICE, type: "private" }, photo: [theirs] },
    },
  });
  const [content = ""] = await harness.texts(1);
  assert.match(content, /^\[Reply to: \[image: \S+\.jpg\]\]\n\[file: \S+mine\.txt\]$/);
  assert.deepEqual(
    gateway.inbounds[0]?.media.map((path) => path.split(".").at(-1)),
    ["jpg", "txt"],
  );
});

Deno.test("Telegram takes an album as one message, in a group by its one caption", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const item = (extra: JsonObject = {}) =>
    platform.userSays({
      chatId: GROUP,
      extra: {
        media_group_id: "album",
        photo: [platform.offerFile({ name: "x", bytes: BYTES })],
        ...extra,
      },
    });
  const first = item();
  item({ caption: "@troupe_bot which?" });
  await harness.letPass(400);
  item();
  platform.userSays({ text: "something else" });
  const texts = await harness.texts(2);
  assert.equal(gateway.inbounds.length, 2);
  const album = gateway.inbounds.find(({ chatId }) => chatId === String(GROUP));
  assert.equal(album?.platformId, `4242:${GROUP}:${first.messageId}`);
  assert.equal(album?.media.length, 3);
  assert.match(album?.content ?? "", /^Alice \(@alice\): \[image.+\n@troupe_bot which\?\n\[image/);
  assert.ok(texts.includes("something else"));
});

Deno.test.each([
  { chatId: ALICE, thread: { message_thread_id: 7 }, key: `telegram:${ALICE}:topic:7` },
  {
    chatId: GROUP,
    thread: { message_thread_id: 42, is_topic_message: true },
    key: `telegram:${GROUP}:topic:42`,
  },
  { chatId: GROUP, thread: { message_thread_id: 42 }, key: undefined },
  { chatId: ALICE, thread: {}, key: undefined },
])("Telegram gives a topic a conversation of its own: $key", async ({ chatId, thread, key }) => {
  await using harness = await Harness.ready();
  harness.platform.userSays({ chatId, text: "@troupe_bot hi", extra: thread });
  await harness.texts(1);
  assert.equal(harness.gateway.inbounds[0]?.sessionKey, key);
});

Deno.test("Telegram reads on behind a message of unknown shape", async () => {
  await using harness = await Harness.ready();
  harness.platform.sendUpdate({ message: { message_id: "odd" } });
  harness.platform.sendUpdate({ poll: {} });
  harness.platform.userSays({ text: "hello" });
  assert.deepEqual(await harness.texts(1), ["hello"]);
});
