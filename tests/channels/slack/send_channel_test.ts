import assert from "node:assert/strict";
import { join } from "node:path";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { ALICE_CHAT, Harness, TEAM } from "./harness.ts";

const KEY = "turn-1:0";

/** What a channel message below which the answer goes leaves behind. */
function askedIn(harness: Harness): { readonly ts: string; readonly context: JsonObject } {
  const { ts } = harness.platform.world.add({ channel: TEAM, user: "UALICE", text: "hi" });
  return { ts, context: { channel: TEAM, ts, channel_type: "channel", thread_ts: ts } };
}

Deno.test("Slack puts text and files of an answer into the thread", async () => {
  await using harness = await Harness.ready();
  const { ts, context } = askedIn(harness);
  const path = join(harness.folder.path, "demo.txt");
  await Deno.writeTextFile(path, "demo");
  await harness.deliver({ key: KEY, chatId: TEAM, context, text: "hello", media: [path] });
  const shown = harness.platform.seen(TEAM);
  assert.deepEqual(shown.map(({ text, threadTs, files }) => [text, threadTs, files.length]), [
    ["", ts, 1],
    ["hello", ts, 0],
  ]);
});

Deno.test("Slack answers direct messages outside of threads", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  platform.says({ text: "hi" });
  await harness.texts(1);
  const context = gateway.inbounds[0]?.context ?? {};
  await harness.deliver({ key: KEY, chatId: ALICE_CHAT, context, text: "hello" });
  assert.deepEqual(platform.seen(ALICE_CHAT).map(({ text, threadTs }) => [text, threadTs]), [
    ["hello", undefined],
  ]);
});

Deno.test("Slack answers in the thread that a person opened in a direct chat", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const { message } = platform.says({ text: "hi" });
  platform.says({ text: "and here", threadTs: message.ts });
  await harness.texts(2);
  const context = gateway.inbounds[1]?.context ?? {};
  await harness.deliver({ key: KEY, chatId: ALICE_CHAT, context, text: "hello" });
  assert.deepEqual(platform.seen(ALICE_CHAT).map(({ threadTs }) => threadTs), [message.ts]);
});

Deno.test("Slack leaves the thread behind when it writes to another channel", async () => {
  await using harness = await Harness.ready();
  const { context } = askedIn(harness);
  await harness.deliver({ key: KEY, chatId: "C0OTHER", context, text: "hello" });
  assert.deepEqual(harness.platform.seen("C0OTHER").map(({ threadTs }) => threadTs), [undefined]);
});

Deno.test.each(
  [
    ["#channel_x", "C0OTHER"],
    ["channel_x", "C0OTHER"],
    ["<#C0OTHER|channel_x>", "C0OTHER"],
    ["@alice", ALICE_CHAT],
    ["@ALICE", ALICE_CHAT],
    ["@Alice Real", ALICE_CHAT],
    ["#Channel_X", "C0OTHER"],
    ["alice", ALICE_CHAT],
    ["<@UALICE>", ALICE_CHAT],
    ["UALICE", ALICE_CHAT],
    [TEAM, TEAM],
  ] as const,
)("Slack finds where %s is", async (name, channel) => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: "one", chatId: name, text: "hello" });
  await harness.deliver({ key: "two", chatId: name, text: "again" });
  const { platform } = harness;
  assert.deepEqual(platform.seen(channel).map(({ text }) => text), ["hello", "again"]);
  const looks = platform.callsOf("conversations.list", "users.list", "conversations.open");
  assert.ok(looks.length <= 3, "what was found is remembered");
});

Deno.test("Slack says that there is no channel of a name", async () => {
  await using harness = await Harness.ready();
  await assert.rejects(
    harness.deliver({ key: KEY, chatId: "#missing-channel", text: "hello" }),
    { code: "delivery_permanent", message: /"#missing-channel".*was not found/ },
  );
});

Deno.test("Slack marks a message on receipt and when it is done", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const { message } = platform.says({ channel: TEAM, text: "<@UBOT01> hi" });
  await harness.passUntil(() => message.reactions.has("UBOT01:eyes"), "a reaction");
  const [inbound] = gateway.inbounds;
  const settles = [{
    platformId: inbound?.platformId ?? "",
    outcome: "done",
    channelState: null,
  }] as const;
  // The answer goes elsewhere; the mark stays with the message.
  await harness.deliver({ key: KEY, chatId: "C0OTHER", text: "done", settles });
  assert.deepEqual([...message.reactions], ["UBOT01:white_check_mark"]);
});

Deno.test("Slack clears the marks of an earlier life, and of an answer that failed", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const { message } = platform.says({ text: "hi" });
  await harness.passUntil(() => message.reactions.size === 1, "a reaction");
  await harness.restart();
  platform.faults.plant("chat.postMessage", { kind: "refusal", error: "is_archived" });
  const platformId = `${ALICE_CHAT}:${message.ts}`;
  const settles = [{ platformId, outcome: "done", channelState: null }] as const;
  await assert.rejects(harness.deliver({ key: KEY, text: "x", settles }), {
    code: "delivery_permanent",
  });
  assert.deepEqual([...message.reactions], []);
});

Deno.test("Slack marks a message that waits for its turn", async () => {
  await using harness = await Harness.ready({ queuedEmoji: ":hourglass:" });
  const { message } = harness.platform.says({ text: "hi" });
  const has = (name: string) => () =>
    message.reactions.size === 1 && message.reactions.has(`UBOT01:${name}`);
  await harness.passUntil(has("eyes"), "a reaction");
  const platformId = `${ALICE_CHAT}:${message.ts}`;
  harness.channel.noteWaiting?.(platformId, true);
  await harness.passUntil(has("hourglass"), "another reaction");
  harness.channel.noteWaiting?.(platformId, false);
  await harness.passUntil(has("eyes"), "the first reaction");
  assert.deepEqual([...message.reactions], ["UBOT01:eyes"]);
});

Deno.test("Slack sends the words alone when its form is refused", async () => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant("chat.postMessage", { kind: "refusal", error: "invalid_blocks" });
  await harness.deliver({ key: KEY, text: "# Title\n\n**a** < *b*" });
  assert.deepEqual(harness.platform.seen(ALICE_CHAT).map(({ text }) => text), ["Title\n\na < b"]);
});

Deno.test("Slack calls nobody but whom a text names by their id", async () => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: KEY, text: "<!channel> @here <@UBOB> and @Alice (UALICE)" });
  const [call] = harness.platform.callsOf("chat.postMessage");
  const blocks = call?.args["blocks"] ?? "";
  assert.deepEqual(blocks.match(/"user_id":"\w+"/g), ['"user_id":"UBOB"', '"user_id":"UALICE"']);
  assert.doesNotMatch(blocks, /broadcast|usergroup/);
  assert.doesNotMatch(call?.args["text"] ?? "", /<[!@]/);
  assert.equal(call?.args["unfurl_links"], "false");
});

Deno.test("Slack finds a message whose receipt was lost, and sends none twice", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  platform.faults.plant("chat.postMessage", { kind: "lost_answer" });
  await assert.rejects(harness.deliver({ key: KEY, text: "hello" }), { code: "delivery_unknown" });
  assert.equal(await harness.lookUp({ key: KEY, text: "hello" }), "arrived");
  await harness.deliver({ key: KEY, text: "hello" });
  assert.deepEqual(platform.seen(ALICE_CHAT).map(({ text, edits }) => [text, edits]), [
    ["hello", 0],
  ]);
});

Deno.test("Slack tells that a message is not there when it never arrived", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  platform.faults.plant("chat.postMessage", { kind: "reset" });
  await assert.rejects(harness.deliver({ key: KEY, text: "hello" }), { code: "delivery_unknown" });
  assert.equal(await harness.lookUp({ key: KEY, text: "hello" }), "absent");
  await harness.deliver({ key: KEY, text: "hello" });
  assert.deepEqual(platform.seen(ALICE_CHAT).map(({ text }) => text), ["hello"]);
});

Deno.test("Slack finds a file whose receipt was lost, and sends none twice", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const path = join(harness.folder.path, "a.txt");
  await Deno.writeTextFile(path, "a");
  platform.faults.plant("files.completeUploadExternal", { kind: "lost_answer" });
  const delivery = { key: KEY, text: "a file", media: [path] };
  await assert.rejects(harness.deliver(delivery), { code: "delivery_unknown" });
  assert.equal(await harness.lookUp(delivery), "absent");
  await harness.deliver(delivery);
  const shown = platform.seen(ALICE_CHAT);
  assert.deepEqual(shown.map(({ text, files }) => [text, files.length]), [["", 1], ["a file", 0]]);
});

Deno.test("Slack uploads pictures of the workspace that a text shows", async () => {
  await using harness = await Harness.ready();
  await Deno.writeFile(join(harness.folder.path, "plot.png"), Uint8Array.of(1, 2));
  await harness.deliver({ key: KEY, text: "Look: ![the plot](plot.png)" });
  const shown = harness.platform.seen(ALICE_CHAT);
  assert.deepEqual(shown.flatMap(({ files }) => files.map(({ name }) => name)), ["plot.png"]);
  assert.equal(shown.at(-1)?.text, "Look: the plot (plot.png)");
});

Deno.test("Slack says which scope keeps it from sending files", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const refusal = { kind: "refusal", error: "missing_scope", needed: "files:write" } as const;
  platform.faults.plant("files.getUploadURLExternal", refusal);
  const path = join(harness.folder.path, "a.txt");
  await Deno.writeTextFile(path, "a");
  await harness.deliver({ key: KEY, text: "here", media: [path] });
  const [shown] = platform.seen(ALICE_CHAT);
  assert.match(shown?.text ?? "", /^here\n\n\(Could not send a\.txt: .*files:write\)$/);
});

Deno.test("Slack shows what runs below an answer that grows, and takes it away", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  await harness.deliver({
    key: KEY,
    phase: "growing",
    text: "Let me look.",
    activity: 'read_file("a")',
  });
  const texts = () => platform.seen(ALICE_CHAT).map(({ text }) => text);
  assert.deepEqual(texts(), ['Let me look.\n\n🔧 read_file("a")']);
  await harness.deliver({ key: KEY, text: "Let me look. Done." });
  assert.deepEqual(texts(), ["Let me look. Done."]);
});

Deno.test("Slack shows half a mark only when it is whole", async () => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: KEY, phase: "growing", text: "Some **bold wor" });
  assert.deepEqual(harness.platform.seen(ALICE_CHAT).map(({ text }) => text), ["Some bold wor"]);
});

Deno.test("Slack changes a message at most every second and a half, and the app fifty times a minute", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  for (const chat of Array.from({ length: 4 }, (_, index) => `chat-${index}`)) {
    platform.addChannel(`C0${chat.at(-1)}ROOM`, chat);
  }
  await Promise.all(["C00ROOM", "C01ROOM", "C02ROOM", "C03ROOM"].map(async (chatId) => {
    for (let piece = 1; piece <= 20; piece++) {
      const text = "word ".repeat(piece);
      await harness.deliver({ key: chatId, chatId, phase: "growing", text });
    }
    await harness.deliver({ key: chatId, chatId, text: "whole" });
    assert.deepEqual(platform.seen(chatId).map(({ text }) => text), ["whole"]);
    const times = platform.callsOf("chat.update").filter(({ args }) => args["channel"] === chatId)
      .slice(0, -1).map(({ atMs }) => atMs);
    for (const [index, time] of times.slice(1).entries()) {
      assert.ok(time - (times[index] ?? 0) >= 1_500, `${times}`);
    }
  }));
});

Deno.test("Slack completes an answer anew when somebody deleted what grew", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  await harness.deliver({ key: KEY, phase: "growing", text: "Half" });
  for (const message of platform.world.messages) message.isDeleted = true;
  await harness.deliver({ key: KEY, text: "Half and half" });
  assert.deepEqual(platform.seen(ALICE_CHAT).map(({ text }) => text), ["Half and half"]);
});

Deno.test("Slack shows one message when its Worker dies before it knows its id", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  platform.faults.plant("chat.postMessage", { kind: "lost_answer" });
  await assert.rejects(harness.deliver({ key: KEY, phase: "growing", text: "Half" }));
  await harness.restart();
  await harness.deliver({ key: KEY, text: "Half and half" });
  assert.deepEqual(platform.seen(ALICE_CHAT).map(({ text }) => text), ["Half and half"]);
});

Deno.test("Slack heeds the wait that it is asked for before the next message of the channel", async () => {
  await using harness = await Harness.ready();
  const { platform, clock } = harness;
  platform.faults.plant("chat.postMessage", {
    kind: "refusal",
    error: "ratelimited",
    retryAfterS: 9,
  });
  const sinceMs = clock.now();
  await assert.rejects(harness.deliver({ key: "one", text: "one" }), { retryAfterMs: 9_000 });
  await harness.deliver({ key: "two", chatId: TEAM, text: "elsewhere" });
  assert.ok(clock.now() - sinceMs < 5_000, "other channels do not wait");
  await harness.deliver({ key: "three", text: "three" });
  assert.ok(clock.now() - sinceMs >= 9_000);
});
