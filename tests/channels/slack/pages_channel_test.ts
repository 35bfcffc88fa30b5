import assert from "node:assert/strict";
import { ALICE_CHAT, Harness } from "./harness.ts";

const BYTES = new TextEncoder().encode("some bytes");

Deno.test("Slack finds a channel by its name beyond the first page, and asks no further", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  for (let index = 0; index < 500; index++) platform.addChannel(`C1ROOM${index}`, `room${index}`);
  await harness.deliver({ key: "a:0", chatId: "#room300", text: "hello" });
  assert.deepEqual(platform.seen("C1ROOM300").map(({ text }) => text), ["hello"]);
  assert.equal(platform.callsOf("conversations.list").length, 2);
});

Deno.test("Slack finds a person by the name on the last page", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  for (let index = 0; index < 450; index++) platform.addPerson(`U1P${index}`, `Person${index}`);
  await harness.deliver({ key: "a:0", chatId: "@person449", text: "hello" });
  assert.deepEqual(platform.seen("D1P449").map(({ text }) => text), ["hello"]);
  assert.equal(platform.callsOf("users.list").length, 3);
});

Deno.test("Slack says that there is no such channel after the last page", async () => {
  await using harness = await Harness.ready();
  for (let index = 0; index < 250; index++) {
    harness.platform.addChannel(`C1ROOM${index}`, `room${index}`);
  }
  await assert.rejects(harness.deliver({ key: "a:0", chatId: "#nowhere", text: "hello" }), {
    code: "delivery_permanent",
  });
  assert.equal(harness.platform.callsOf("conversations.list").length, 2);
});

Deno.test("Slack asks for a file of which its message tells nothing but the id", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const { id } = platform.world.addFile("report.pdf", "application/pdf", BYTES);
  const files = [{ id, file_access: "check_file_info" }];
  platform.says({ text: "look", extra: { subtype: "file_share", files } });
  const [text = ""] = await harness.texts(1);
  assert.match(text, /^look\n\[.*report\.pdf/);
  const [path = ""] = gateway.inbounds[0]?.media ?? [];
  assert.deepEqual(await Deno.readFile(path), BYTES);
});

Deno.test.each([
  { file: { id: "F1", mode: "tombstone" }, words: /^look\n\[file: deleted\]$/ },
  { file: { id: "F404", file_access: "check_file_info" }, words: /^look\n\[.*\]$/ },
])("Slack hands a message in though its file is gone, case %#", async ({ file, words }) => {
  await using harness = await Harness.ready();
  harness.platform.says({ text: "look", extra: { subtype: "file_share", files: [file] } });
  const [text = ""] = await harness.texts(1);
  assert.match(text, words);
  assert.deepEqual(harness.gateway.inbounds[0]?.media, []);
});

Deno.test("Slack leaves a message that is edited as it was, and hands nothing in again", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const { message } = platform.says({ text: "one" });
  await harness.texts(1);
  const changed = { type: "message", user: "UALICE", text: "two", ts: message.ts };
  const event = {
    type: "message",
    subtype: "message_changed",
    channel: ALICE_CHAT,
    ts: "9.000001",
  };
  const told = platform.tell({ ...event, channel_type: "im", message: changed });
  await harness.passUntil(() => told.isAcknowledged, "an acknowledgement");
  await harness.letPass(500);
  assert.deepEqual(gateway.inbounds.map(({ content }) => content), ["one"]);
});
