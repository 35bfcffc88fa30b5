import assert from "node:assert/strict";
import { join } from "node:path";
import { Harness } from "./harness.ts";

const KEY = "turn-1:0";

Deno.test("Discord quotes the question with the first message alone, when told to", async () => {
  await using harness = await Harness.ready({ section: { replyToMessage: true } });
  const said = harness.says("hello");
  await harness.texts(1);
  const path = join(harness.folder.path, "notes.txt");
  await Deno.writeTextFile(path, "notes");
  const context = harness.gateway.inbounds[0]?.context ?? {};
  await harness.deliver({ key: KEY, text: "word ".repeat(420), media: [path], context });
  const shown = harness.shown();
  assert.deepEqual(shown.map(({ referenceId }) => referenceId), [said.id, null, null]);
  assert.equal(shown[0]?.files[0]?.name, "notes.txt");
});

Deno.test("Discord calls nobody, whatever the model writes", async () => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: KEY, text: "@everyone <@&1> look" });
  const [call] = harness.platform.calls("message.create");
  assert.partialDeepStrictEqual(call?.body, {
    allowed_mentions: { parse: [], replied_user: false },
  });
});

Deno.test("Discord shows an answer once when the platform's answer was lost", async () => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant("message.create", { kind: "lost_answer" });
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello" }), {
    code: "delivery_transient",
  });
  await harness.restart();
  const ids = await harness.deliver({ key: KEY, text: "Hello" });
  assert.deepEqual(harness.shown().map(({ id }) => id), ids);
});

Deno.test("Discord looks an answer up once its key is forgotten", async () => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant("message.create", { kind: "lost_answer" });
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello" }), {
    code: "delivery_transient",
  });
  await harness.clock.advance(10 * 60_000);
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello" }), { code: "delivery_unknown" });
  assert.equal(await harness.lookUp({ key: KEY, text: "Hello" }), "arrived");
  assert.equal(harness.shown().length, 1);
});

Deno.test("Discord tells that an answer which it looked up is not there", async () => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant("message.create", { kind: "status", status: 502 });
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello" }), {
    code: "delivery_transient",
  });
  await harness.clock.advance(10 * 60_000);
  assert.equal(await harness.lookUp({ key: KEY, text: "Hello" }), "absent");
  await harness.deliver({ key: KEY, text: "Hello" });
  assert.equal(harness.shown().length, 1);
});

Deno.test("Discord sets right what was sent while the answer still grew", async () => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant("message.create", { kind: "lost_answer" });
  await assert.rejects(harness.deliver({ key: KEY, phase: "growing", text: "Hel" }));
  await harness.restart();
  await harness.deliver({ key: KEY, text: "Hello, world" });
  assert.deepEqual(harness.shown().map(({ texts }) => texts), [["Hel", "Hello, world"]]);
});

Deno.test("Discord goes on in a new message when somebody deleted the one that grew", async () => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: KEY, phase: "growing", text: "Hel" });
  const [grown] = harness.shown();
  if (grown !== undefined) grown.isDeleted = true;
  const ids = await harness.deliver({ key: KEY, text: "Hello" });
  assert.deepEqual(harness.shown().map(({ id, texts }) => [id, texts]), [[ids[0], ["Hello"]]]);
});

Deno.test("Discord shows what runs in small print, and takes it away at the end", async () => {
  await using harness = await Harness.ready();
  const activity = 'read_file("a"), exec("ls")';
  await harness.deliver({ key: KEY, phase: "growing", text: "Let me see", activity });
  await harness.deliver({ key: KEY, text: "Two files" });
  assert.deepEqual(harness.shown().map(({ texts }) => texts), [[
    'Let me see\n\n-# 🔧 read\\_file("a")\n-# 🔧 exec("ls")',
    "Two files",
  ]]);
});

Deno.test("Discord writes to a person whose id stands for the chat", async () => {
  await using harness = await Harness.ready();
  const bo = harness.platform.addPerson("bo");
  await harness.deliver({ key: KEY, chatId: bo.id, text: "Hello Bo" });
  const shown = harness.shown(harness.platform.direct(bo));
  assert.deepEqual(shown.map(({ texts }) => texts), [["Hello Bo"]]);
});

Deno.test("Discord says that a file is too large for the place, and sends the text", async () => {
  await using harness = await Harness.ready();
  const path = join(harness.folder.path, "large.bin");
  await Deno.writeFile(path, new Uint8Array(11 * 1024 * 1024));
  await harness.deliver({ key: KEY, text: "The film", media: [path] });
  assert.deepEqual(harness.shown().map(({ texts }) => texts), [[
    "The film\n\n(Could not send large.bin: it is too large for this place)",
  ]]);
});

Deno.test("Discord sends the pictures that a text shows", async () => {
  await using harness = await Harness.ready();
  await Deno.writeFile(join(harness.folder.path, "chart.png"), new Uint8Array([1, 2, 3]));
  await harness.deliver({ key: KEY, text: "Here: ![chart](chart.png)" });
  const [picture, words] = harness.shown();
  assert.equal(picture?.files[0]?.name, "chart.png");
  assert.deepEqual(words?.texts, ["Here: chart"]);
});

Deno.test("Discord waits as long as all calls together are to wait", async () => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant("message.create", {
    kind: "rate",
    retryAfterMs: 4_000,
    isForAll: true,
  });
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello" }), { retryAfterMs: 4_000 });
  const refusedAtMs = harness.clock.now();
  await harness.deliver({ key: "turn-2:0", text: "Hello again" });
  const sentAtMs = harness.platform.calls("message.create").at(-1)?.atMs ?? 0;
  assert.ok(sentAtMs - refusedAtMs >= 3_900, `${sentAtMs - refusedAtMs}`);
});

Deno.test.each([
  { status: 403, code: 50013 },
  { status: 404, code: 10003 },
  { status: 400, code: 200000 },
])("Discord says that $status $code is permanent", async ({ status, code }) => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant("message.create", { kind: "code", status, code });
  harness.platform.faults.plant("direct.create", { kind: "code", status: 400, code: 50033 });
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello" }), {
    code: "delivery_permanent",
  });
});
