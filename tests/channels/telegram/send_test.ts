import assert from "node:assert/strict";
import { join } from "node:path";
import { ALICE, GROUP, Harness } from "./harness.ts";

const KEY = "turn-1:0";
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 1, 2, 3);

function methods({ platform }: Harness): string[] {
  return platform.calls.map(({ method }) => method).filter((method) => method.startsWith("send"));
}

Deno.test("Telegram sends marks beside the text", async () => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: KEY, text: "**A < B** & `x_y`\n\n1.   one" });
  const [shown] = harness.platform.shown(ALICE);
  assert.equal(shown?.text, "A < B & x_y\n\n1. one");
  assert.deepEqual(shown?.entities, [
    { type: "bold", offset: 0, length: 5 },
    { type: "code", offset: 8, length: 3 },
  ]);
});

Deno.test("Telegram sends the words alone when marks are refused, and once", async () => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant("sendMessage", {
    kind: "refusal",
    code: 400,
    description: "Bad Request: can't parse entities: wrong",
  });
  await harness.deliver({ key: KEY, text: "**bold** words" });
  assert.deepEqual(harness.platform.shown(ALICE).map(({ text, entities }) => [text, entities]), [
    ["bold words", []],
  ]);
  assert.deepEqual(methods(harness), ["sendMessage", "sendMessage"]);
});

Deno.test("Telegram tries nothing else when words alone are refused as well", async () => {
  await using harness = await Harness.ready();
  const refusal = { kind: "refusal", code: 400, description: "Bad Request: can't parse entities" };
  harness.platform.faults.plant("sendMessage", { ...refusal, kind: "refusal" }, { times: 2 });
  await assert.rejects(harness.deliver({ key: KEY, text: "**bold**" }), {
    code: "delivery_permanent",
  });
  assert.deepEqual(methods(harness), ["sendMessage", "sendMessage"]);
});

Deno.test.each([
  { status: 500, code: "delivery_unknown" },
  { status: 502, code: "delivery_unknown" },
  { status: 503, code: "delivery_transient" },
  { status: 504, code: "delivery_unknown" },
])("Telegram calls a send that ends with $status $code", async ({ status, code }) => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant("sendMessage", { kind: "status", status });
  await assert.rejects(harness.deliver({ key: KEY, text: "**Hello**" }), { code });
  assert.deepEqual(methods(harness), ["sendMessage"]);
});

Deno.test.each([
  { body: { ok: true, result: {} } },
  { body: { ok: true } },
  { body: { status: "fine" } },
  { body: null },
])("Telegram calls a send unknown that is answered with $body", async ({ body }) => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant("sendMessage", { kind: "odd_answer", body });
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello" }), { code: "delivery_unknown" });
  assert.deepEqual(methods(harness), ["sendMessage"]);
});

Deno.test("Telegram does not send again what is in doubt, and marks a repetition", async () => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant("sendMessage", { kind: "reset" });
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello" }), { code: "delivery_unknown" });
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello" }), { code: "delivery_unknown" });
  await harness.restart();
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello" }), { code: "delivery_unknown" });
  assert.deepEqual(methods(harness), ["sendMessage"]);
  await harness.deliver({ key: KEY, text: "Hello", notice: "(again)" });
  assert.deepEqual(harness.platform.shown(ALICE).map(({ text }) => text), ["(again)", "Hello"]);
});

Deno.test("Telegram never names the token in an error", async () => {
  await using harness = await Harness.ready();
  harness.platform.goOffline();
  const error = await harness.deliver({ key: KEY, text: "Hello secret words" })
    .then(() => null, (reason: unknown) => reason);
  assert.ok(error instanceof Error);
  for (let inner: unknown = error; inner instanceof Error; inner = inner.cause) {
    assert.doesNotMatch(`${inner.message} ${inner.stack}`, /AAtest|secret words/);
  }
  harness.platform.comeBack();
});

Deno.test("Telegram waits for a chat that it is told to leave alone, and for no other", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  platform.faults.plant("sendMessage", {
    kind: "refusal",
    code: 429,
    description: "Too Many Requests: retry after 9",
    parameters: { retry_after: 9 },
  });
  await assert.rejects(harness.deliver({ key: "a", text: "Hello" }), { retryAfterMs: 9_000 });
  const before = harness.clock.now();
  await harness.deliver({ key: "b", chatId: "1002", text: "Hi" });
  assert.ok(harness.clock.now() - before < 8_000);
  await harness.deliver({ key: "a", text: "Hello" });
  assert.ok(harness.clock.now() - before >= 8_900);
});

Deno.test("Telegram says that a failure is permanent when the person blocked the bot", async () => {
  await using harness = await Harness.ready();
  harness.platform.addPerson(77).hasBlockedBot = true;
  await assert.rejects(harness.deliver({ key: KEY, chatId: "77", text: "Hello" }), {
    code: "delivery_permanent",
  });
});

Deno.test.each(["somebody", "", "12a"])("Telegram has no chat %j", async (chatId) => {
  await using harness = await Harness.ready();
  await assert.rejects(harness.deliver({ key: KEY, chatId, text: "Hello" }), {
    code: "delivery_permanent",
  });
});

Deno.test("Telegram follows a group that became a supergroup", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  platform.addGroup(-77).movedTo = GROUP;
  await harness.deliver({ key: "a", chatId: "-77", text: "one" });
  await harness.deliver({ key: "b", chatId: "-77", text: "two" });
  assert.deepEqual(platform.shown(GROUP).map(({ text }) => text), ["one", "two"]);
  assert.equal(methods(harness).length, 3);
});

Deno.test("Telegram answers outside of a topic that was deleted", async () => {
  await using harness = await Harness.ready();
  const context = { message_thread_id: 999 };
  await harness.deliver({ key: KEY, chatId: String(GROUP), context, text: "Hello" });
  const [shown] = harness.platform.shown(GROUP);
  assert.deepEqual([shown?.text, shown?.threadId], ["Hello", undefined]);
});

Deno.test("Telegram quotes the question with the first message only, also when it grows", async () => {
  await using harness = await Harness.ready({ section: { replyToMessage: true } });
  const { platform } = harness;
  const { messageId } = platform.userSays({ text: "hello" });
  await harness.texts(1);
  const context = { message_id: messageId };
  await harness.deliver({ key: "a", context, text: "word ".repeat(1_500) });
  await harness.deliver({ key: "b", context, phase: "growing", text: "Hel" });
  await harness.deliver({ key: "b", context, text: "Hello" });
  const quotes = platform.shown(ALICE).map(({ replyToId }) => replyToId);
  assert.deepEqual(quotes, [messageId, undefined, messageId]);
});

Deno.test("Telegram answers although the message to quote is gone", async () => {
  await using harness = await Harness.ready({ section: { replyToMessage: true } });
  await harness.deliver({ key: KEY, context: { message_id: 777 }, text: "Hello" });
  assert.deepEqual(harness.platform.shown(ALICE).map(({ text }) => text), ["Hello"]);
});

Deno.test("Telegram sends files by their kind", async () => {
  await using harness = await Harness.ready();
  const names = ["a.png", "b.gif", "c.mp4", "d.ogg", "e.mp3", "f.wav", "g.pdf"];
  const media: string[] = [];
  for (const name of names) {
    media.push(join(harness.folder.path, name));
    await Deno.writeFile(join(harness.folder.path, name), PNG);
  }
  await harness.deliver({ key: KEY, media });
  assert.deepEqual(harness.platform.shown(ALICE).map(({ fileKind }) => fileKind), [
    "photo",
    "animation",
    "video",
    "voice",
    "audio",
    "document",
    "document",
  ]);
  assert.deepEqual(harness.platform.shown(ALICE).map(({ file }) => file?.name), names);
});

Deno.test("Telegram sends a picture that is none as a file", async () => {
  await using harness = await Harness.ready();
  const path = join(harness.folder.path, "broken.png");
  await Deno.writeTextFile(path, "no picture");
  await harness.deliver({ key: KEY, media: [path], text: "See" });
  const shown = harness.platform.shown(ALICE);
  assert.deepEqual(shown.map(({ fileKind, text }) => [fileKind, text]), [
    ["document", ""],
    [undefined, "See"],
  ]);
});

Deno.test("Telegram says in words which file it refused", async () => {
  await using harness = await Harness.ready();
  const path = join(harness.folder.path, "a.pdf");
  await Deno.writeTextFile(path, "pdf");
  harness.platform.faults.plant("sendDocument", {
    kind: "refusal",
    code: 413,
    description: "Request Entity Too Large",
  });
  await harness.deliver({ key: KEY, media: [path], text: "See" });
  assert.deepEqual(harness.platform.shown(ALICE).map(({ text }) => text), [
    "(Could not send a.pdf: Telegram refused it)",
    "See",
  ]);
});

Deno.test("Telegram sends a picture of the workspace that the text shows", async () => {
  await using harness = await Harness.ready();
  await Deno.writeFile(join(harness.folder.path, "chart.png"), PNG);
  await harness.deliver({ key: KEY, text: "Here: ![a chart](chart.png)" });
  const shown = harness.platform.shown(ALICE);
  assert.equal(shown[0]?.fileKind, "photo");
  assert.match(shown[1]?.text ?? "", /^Here: a chart/);
});

Deno.test("Telegram does not send a second time what already got out", async () => {
  await using harness = await Harness.ready();
  const path = join(harness.folder.path, "a.txt");
  await Deno.writeTextFile(path, "text");
  harness.platform.faults.plant("sendMessage", { kind: "status", status: 503 });
  await assert.rejects(harness.deliver({ key: KEY, media: [path], text: "See" }), {
    code: "delivery_transient",
  });
  await harness.restart();
  await harness.deliver({ key: KEY, media: [path], text: "See" });
  assert.deepEqual(methods(harness), ["sendDocument", "sendMessage", "sendMessage"]);
});

Deno.test("Telegram changes a growing message no more often than it is told", async () => {
  await using harness = await Harness.ready({ section: { streamEditInterval: 2 } });
  let text = "";
  for (let piece = 0; piece < 6; piece++) {
    text += `word${piece} `;
    await harness.deliver({ key: KEY, phase: "growing", text });
  }
  const times = harness.platform.calls
    .filter(({ method }) => /^(?:sendMessage|editMessageText)$/.test(method))
    .map(({ atMs }) => atMs);
  for (const [index, time] of times.slice(1).entries()) {
    assert.ok(time - (times[index] ?? 0) >= 2_000);
  }
  assert.equal(times.length, 6);
});

Deno.test("Telegram shows marks while an answer grows, and none that are half", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  for (
    const text of ["Some **bo", "Some **bold** and `co", "Some **bold** and `code`\n\n```ts\nle"]
  ) {
    await harness.deliver({ key: KEY, phase: "growing", text });
    assert.doesNotMatch(platform.shown(ALICE)[0]?.text ?? "", /[*`]/);
  }
  const [shown] = platform.shown(ALICE);
  assert.deepEqual(shown?.entities.map(({ type }) => type), ["bold", "code", "pre"]);
});

Deno.test("Telegram shows what runs below the text while it grows", async () => {
  await using harness = await Harness.ready();
  await harness.deliver({
    key: KEY,
    phase: "growing",
    text: "Let me look.",
    activity: 'read_file("a")\nexec("ls")',
  });
  const [shown] = harness.platform.shown(ALICE);
  assert.equal(shown?.text, 'Let me look.\n\n🔧 read_file("a")\n🔧 exec("ls")');
  await harness.deliver({ key: KEY, text: "Done." });
  assert.deepEqual(harness.platform.shown(ALICE).map(({ text }) => text), ["Done."]);
});

Deno.test("Telegram takes an unchanged message for changed", async () => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: KEY, phase: "growing", text: "Hello" });
  await harness.restart();
  const ids = await harness.deliver({ key: KEY, text: "Hello" });
  assert.deepEqual(harness.platform.shown(ALICE).map(({ id }) => String(id)), ids);
});

Deno.test("Telegram keeps answers of two topics apart while both grow", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  for (const topic of [42, 43]) platform.chat(GROUP).topics.add(topic);
  for (const text of ["one", "one two"]) {
    for (const topic of [42, 43]) {
      await harness.deliver({
        key: `t${topic}`,
        phase: "growing",
        chatId: String(GROUP),
        context: { message_thread_id: topic },
        text: `${text} in ${topic}`,
      });
    }
  }
  const shown = platform.shown(GROUP).map(({ text, threadId }) => [text, threadId]);
  assert.deepEqual(shown, [["one two in 42", 42], ["one two in 43", 43]]);
});

Deno.test("Telegram sends the end anew when the message that grew is gone", async () => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: KEY, phase: "growing", text: "Hel" });
  harness.platform.faults.plant("editMessageText", {
    kind: "refusal",
    code: 400,
    description: "Bad Request: message to edit not found",
  });
  const [, id] = ["", ...await harness.deliver({ key: KEY, text: "Hello" })];
  const shown = harness.platform.shown(ALICE).at(-1);
  assert.deepEqual([shown?.text, String(shown?.id)], ["Hello", id]);
});

Deno.test("Telegram loses nothing when the first sight of an answer is in doubt", async () => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant("sendMessage", { kind: "lost_answer" });
  await assert.rejects(harness.deliver({ key: KEY, phase: "growing", text: "Hel" }), {
    code: "delivery_unknown",
  });
  assert.deepEqual(await harness.deliver({ key: KEY, phase: "growing", text: "Hell" }), []);
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello" }), { code: "delivery_unknown" });
  await harness.deliver({ key: KEY, text: "Hello", notice: "(again)" });
  const shown = harness.platform.shown(ALICE).map(({ text }) => text);
  assert.deepEqual(shown, ["Hel", "(again)", "Hello"]);
});
