import assert from "node:assert/strict";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { ALICE, GROUP, Harness } from "./harness.ts";
import { LONG_STEP_MS } from "../../support/channel_bench.ts";

const SENDS = /\/(?:batchSend|groupMessages\/send)$/;
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 1, 2, 3);

async function fileOf(harness: Harness, name: string, content: string | Uint8Array<ArrayBuffer>) {
  const path = join(harness.folder.path, name);
  if (typeof content === "string") await Deno.writeTextFile(path, content);
  else await Deno.writeFile(path, content);
  return path;
}

Deno.test("DingTalk sends to a group by its conversation id, and to a person by theirs", async () => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: "a", chatId: `group:${GROUP}`, text: "to all" });
  await harness.deliver({ key: "b", text: "to **one**" });
  const sends = harness.platform.calls.filter(({ path }) => SENDS.test(path));
  assert.partialDeepStrictEqual(sends.map(({ body }) => body), [
    { openConversationId: GROUP, robotCode: "dingclient", msgKey: "sampleMarkdown" },
    { userIds: [ALICE], msgKey: "sampleMarkdown" },
  ]);
  assert.deepEqual(harness.platform.world.messages.map(({ param }) => param), [
    { title: "to all", text: "to all" },
    { title: "to one", text: "to **one**" },
  ]);
});

Deno.test("DingTalk sends a page in an archive", async () => {
  await using harness = await Harness.ready();
  const path = await fileOf(harness, "report.html", "<h1>Report</h1>");
  await harness.deliver({ key: "a", media: [path] });
  const [message] = harness.platform.world.messages;
  assert.equal(message?.msgKey, "sampleFile");
  assert.partialDeepStrictEqual(message?.param, { fileName: "report.zip", fileType: "zip" });
  const members = unzipSync(message?.file?.bytes ?? new Uint8Array());
  assert.deepEqual(Object.keys(members), ["report.html"]);
  assert.equal(new TextDecoder().decode(members["report.html"]), "<h1>Report</h1>");
});

Deno.test("DingTalk sends what is no picture to it as a file", async () => {
  await using harness = await Harness.ready();
  const path = await fileOf(harness, "fake.png", "no picture");
  await harness.deliver({ key: "a", media: [path] });
  const [message] = harness.platform.world.messages;
  assert.partialDeepStrictEqual(message?.param, { fileName: "fake.png", fileType: "png" });
});

Deno.test("DingTalk sends a picture as a file when its message is refused", async () => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant(SENDS, { kind: "refusal", status: 400, code: "invalidParameter" });
  const path = await fileOf(harness, "a.jpeg", Uint8Array.of(0xff, 0xd8, 0xff, 1));
  await harness.deliver({ key: "a", media: [path] });
  const [message, ...more] = harness.platform.world.messages;
  assert.partialDeepStrictEqual(message?.param, { fileName: "a.jpeg", fileType: "jpg" });
  assert.deepEqual(more, []);
});

Deno.test("DingTalk says which file it refused in every way", async () => {
  await using harness = await Harness.ready();
  const refusal = { kind: "refusal", status: 400, code: "invalid" } as const;
  harness.platform.faults.plant(/media\/upload/, refusal, { times: 9 });
  const path = await fileOf(harness, "a.txt", "words");
  await harness.deliver({ key: "a", text: "Here", media: [path] });
  assert.deepEqual(harness.platform.world.messages.map(({ param }) => param), [
    { content: "(Could not send a.txt: DingTalk refused it)" },
    { title: "Here", text: "Here" },
  ]);
});

Deno.test("DingTalk tries an upload again that had no clear end, and sends the file once", async () => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant(/media\/upload/, { kind: "lost_answer" });
  const media = [await fileOf(harness, "a.png", PNG)];
  await assert.rejects(harness.deliver({ key: "a", media }), { code: "delivery_transient" });
  await harness.deliver({ key: "a", media });
  assert.equal(harness.platform.world.messages.length, 1);
});

Deno.test("DingTalk fetches one token for many sends, and another when it is taken back", async () => {
  await using harness = await Harness.ready();
  await Promise.all(["a", "b", "c"].map((key) => harness.deliver({ key, text: key })));
  assert.equal(harness.platform.tokenCount, 1);
  harness.platform.revokeTokens();
  await harness.deliver({ key: "d", text: "d" });
  assert.equal(harness.platform.tokenCount, 2);
  assert.equal(harness.platform.world.messages.length, 4);
});

Deno.test("DingTalk fetches another token for an upload, too", async () => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: "a", text: "a" });
  harness.platform.revokeTokens();
  const media = [await fileOf(harness, "a.png", PNG)];
  await harness.deliver({ key: "b", media });
  assert.equal(harness.platform.tokenCount, 2);
});

Deno.test("DingTalk says that a person is unknown for good, and that one got too much for now", async () => {
  await using harness = await Harness.ready();
  const { people } = harness.platform.world;
  const unknown = harness.deliver({ key: "a", chatId: "nobody", text: "a" });
  await assert.rejects(unknown, { code: "delivery_permanent" });
  const bo = people.get("bo02");
  if (bo !== undefined) bo.isFlowControlled = true;
  const much = harness.deliver({ key: "b", chatId: "bo02", text: "b" });
  await assert.rejects(much, { code: "delivery_transient", retryAfterMs: 60_000 });
});

Deno.test("DingTalk waits a second when the platform says that calls come too fast", async () => {
  await using harness = await Harness.ready();
  const code = "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi";
  harness.platform.faults.plant(SENDS, { kind: "refusal", status: 403, code });
  const sending = harness.deliver({ key: "a", text: "a" });
  await assert.rejects(sending, { code: "delivery_transient", retryAfterMs: 1_000 });
});

Deno.test("DingTalk tells the owners once that the month's calls are used up", async () => {
  await using harness = await Harness.ready();
  const code = "Forbidden.AccessDenied.ApiCountLimitForOrg";
  harness.platform.faults.plant(SENDS, { kind: "refusal", status: 403, code }, { times: 2 });
  for (const chatId of [ALICE, "bo02"]) {
    const sending = harness.deliver({ key: chatId, chatId, text: "a" });
    await assert.rejects(sending, { code: "delivery_transient", retryAfterMs: 1_800_000 });
  }
  assert.equal(harness.gateway.notices.length, 1);
  assert.match(harness.gateway.notices[0] ?? "", /DingTalk: .+ calls/);
});

Deno.test("DingTalk keeps below the rate of a group", async () => {
  await using harness = await Harness.ready();
  const chatId = `group:${GROUP}`;
  const text = Array.from({ length: 25 }, (_, index) => `${"x".repeat(3_900)}${index}`).join(
    "\n\n",
  );
  let isDone = false;
  const sending = harness.deliver({ key: "a", chatId, text }).finally(() => isDone = true);
  await harness.passUntil(() => isDone, "all of them", LONG_STEP_MS);
  assert.equal((await sending).length, 25);
});

Deno.test("DingTalk puts a reaction on a message, and takes it away when it is answered", async () => {
  await using harness = await Harness.ready({ reactEmoji: "🤔Thinking", doneEmoji: "🥳Done" });
  const { msgId } = harness.platform.userSays({ text: "hello" });
  const shown = () => harness.platform.world.reactions.get(msgId) ?? [];
  await harness.passUntil(() => shown().length > 0, "a reaction");
  assert.deepEqual(shown(), ["🤔Thinking"]);
  const settled = { platformId: msgId, outcome: "done", channelState: null } as const;
  await harness.deliver({ key: "a", text: "Hi", settles: [settled] });
  assert.deepEqual(shown(), ["🥳Done"]);
});

Deno.test("DingTalk takes a reaction away that an earlier Worker put there", async () => {
  await using harness = await Harness.ready({ reactEmoji: "🤔Thinking" });
  const { msgId } = harness.platform.userSays({ text: "hello" });
  await harness.passUntil(() => harness.gateway.inboundMemory.has(msgId), "a reaction");
  await harness.restart();
  const channelState = harness.gateway.inboundMemory.get(msgId) ?? null;
  const settled = { platformId: msgId, outcome: "failed", channelState } as const;
  await harness.deliver({ key: "a", text: "Hi", settles: [settled] });
  assert.deepEqual(harness.platform.world.reactions.get(msgId), []);
});

Deno.test("DingTalk shows a message that waits by another reaction", async () => {
  await using harness = await Harness.ready({ reactEmoji: "🤔Thinking", queuedEmoji: "⏳" });
  const { msgId } = harness.platform.userSays({ text: "hello" });
  const shown = () => (harness.platform.world.reactions.get(msgId) ?? []).join();
  await harness.passUntil(() => shown() === "🤔Thinking", "a reaction");
  harness.channel.noteWaiting?.(msgId, true);
  await harness.passUntil(() => shown() === "⏳", "another one");
  harness.channel.noteWaiting?.(msgId, false);
  await harness.passUntil(() => shown() === "🤔Thinking", "the first one");
  assert.equal(shown(), "🤔Thinking");
});
