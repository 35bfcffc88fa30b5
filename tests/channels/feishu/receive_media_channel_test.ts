import assert from "node:assert/strict";
import { join } from "node:path";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { Said, Saying } from "../../simulators/feishu_server.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { until } from "../../support/until.ts";
import { Harness, type HarnessOptions } from "./harness.ts";

const BYTES = new TextEncoder().encode("some bytes");

/** A harness with a folder for files; hold it with `await using`. */
async function withFolder(options: HarnessOptions = {}) {
  const folder = await temporaryFolder();
  const mediaFolder = join(folder.path, "media");
  const harness = await Harness.ready({ ...options, mediaFolder });
  return {
    harness,
    mediaFolder,
    /** A person sends a file of this kind. */
    send(msgType: string, name: string, more: JsonObject = {}, saying: Saying = {}): Said {
      const isImage = msgType === "image";
      const type = isImage ? "image" : "stream";
      const key = harness.platform.storeFile({ name, bytes: BYTES, type });
      const content = isImage ? { image_key: key } : { file_key: key, file_name: name, ...more };
      return harness.platform.userSays({ ...saying, msgType, content });
    },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function filesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of Deno.readDir(folder)) names.push(name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names.toSorted();
}

Deno.test.each([
  { msgType: "image", name: "cat.png", text: "[image: ID-cat.png]" },
  { msgType: "file", name: "report.pdf", text: "[file: ID-report.pdf]" },
  { msgType: "media", name: "clip.mp4", text: "[video: ID-clip.mp4]" },
  { msgType: "audio", name: "note.opus", text: "[audio: ID-note.opus]" },
])("Feishu downloads a message of type $msgType", async ({ msgType, name, text }) => {
  await using world = await withFolder();
  const { harness, mediaFolder } = world;
  const said = world.send(msgType, name);
  await said.acknowledged;
  assert.deepEqual(await harness.texts(), [text.replace("ID", said.messageId)]);
  const path = join(mediaFolder, `${said.messageId}-${name}`);
  assert.deepEqual(harness.gateway.inbounds[0]?.media, [path]);
  assert.deepEqual(await Deno.readFile(path), BYTES);
});

Deno.test("Feishu acknowledges a file before it is downloaded", async () => {
  await using world = await withFolder();
  const { harness } = world;
  const gate = Promise.withResolvers<void>();
  harness.platform.faults.plant("im.messageResource.get", { kind: "wait", gate: gate.promise });
  await world.send("file", "big.bin").acknowledged;
  assert.equal(harness.gateway.drafts.length, 1);
  gate.resolve();
  assert.match((await harness.texts())[0] ?? "", /^\[file: .*big\.bin\]$/);
});

Deno.test("Feishu hands messages in by their order, however long each takes", async () => {
  await using world = await withFolder();
  const { harness } = world;
  const { platform, gateway } = harness;
  gateway.speech = { state: "transcribed", text: "what I said" };
  const gate = Promise.withResolvers<void>();
  platform.faults.plant("im.messageResource.get", { kind: "wait", gate: gate.promise });
  await world.send("audio", "note.opus").acknowledged;
  await platform.userSays({ text: "and what I wrote" }).acknowledged;
  assert.deepEqual(gateway.inbounds.map(({ draft }) => draft !== undefined), [true, false]);
  gate.resolve();
  assert.deepEqual(await harness.texts(), ["[transcription: what I said]", "and what I wrote"]);
});

Deno.test.each(
  [
    { speech: { state: "transcribed", text: "" }, text: /^\[audio: om_\w+-note\.opus\]$/ },
    { speech: { state: "off" }, text: /^\[audio: om_\w+-note\.opus\]$/ },
    { speech: { state: "failed", reason: "x" }, text: /note\.opus \(transcription failed\)\]$/ },
  ] as const,
)("Feishu keeps a voice note that gives $speech", async ({ speech, text }) => {
  await using world = await withFolder();
  const { harness } = world;
  harness.gateway.speech = speech;
  await world.send("audio", "note.opus").acknowledged;
  assert.match((await harness.texts())[0] ?? "", text);
  assert.equal(harness.gateway.inbounds[0]?.media.length, 1);
  assert.deepEqual(harness.gateway.heard, harness.gateway.inbounds[0]?.media);
});

Deno.test("Feishu downloads what a post shows, in its place", async () => {
  await using world = await withFolder();
  const { harness, mediaFolder } = world;
  const { platform } = harness;
  const keys = ["a.png", "b.png"].map((name) =>
    platform.storeFile({ name, bytes: BYTES, type: "image" })
  );
  const content = {
    title: "日报",
    content: [[
      { tag: "text", text: "完成 " },
      { tag: "img", image_key: keys[0] ?? "" },
    ], [{ tag: "img", image_key: keys[1] ?? "" }, { tag: "text", text: " done" }]],
  };
  const said = platform.userSays({ msgType: "post", content });
  await said.acknowledged;
  const id = said.messageId;
  assert.deepEqual(await harness.texts(), [
    `日报\n完成 [image: ${id}-a.png]\n[image: ${id}.2-b.png] done`,
  ]);
  assert.deepEqual(await filesIn(mediaFolder), [`${id}-a.png`, `${id}.2-b.png`].toSorted());
});

Deno.test("Feishu downloads the picture of a video beside it", async () => {
  await using world = await withFolder();
  const { harness } = world;
  const image_key = harness.platform.storeFile({ name: "c.png", bytes: BYTES, type: "image" });
  const said = world.send("media", "clip.mp4", { image_key });
  await said.acknowledged;
  assert.deepEqual(await harness.texts(), [`[video: ${said.messageId}-clip.mp4]`]);
  const names = harness.gateway.inbounds[0]?.media.map((path) => path.split("/").at(-1));
  assert.deepEqual(names, [`${said.messageId}-clip.mp4`, `${said.messageId}.2-cover.png`]);
});

Deno.test("Feishu lets no name lead out of its folder or onto another file", async () => {
  await using world = await withFolder();
  const { harness, mediaFolder } = world;
  const names = ["../../escape.txt", "same.txt", "same.txt", "/etc/passwd", "..", "a\u202Etxt.exe"];
  for (const name of names) await world.send("file", name).acknowledged;
  await harness.texts();
  const media = harness.gateway.inbounds.flatMap((inbound) => inbound.media);
  assert.equal(new Set(media).size, names.length);
  assert.ok(media.every((path) => path.startsWith(`${mediaFolder}/om_`)), String(media));
  assert.equal((await filesIn(mediaFolder)).length, names.length);
  assert.deepEqual(await filesIn(join(mediaFolder, "..")), ["media"]);
});

Deno.test.each([
  { code: 234003, reason: "code 234003" },
  { code: 234043, reason: "the platform does not give it out" },
  { code: 99991672, reason: "the app lacks the permission im:resource" },
])("Feishu hands a message on that cannot be downloaded ($reason)", async ({ code, reason }) => {
  await using world = await withFolder();
  const { harness } = world;
  harness.platform.faults.plant("im.messageResource.get", { kind: "code", code });
  await world.send("file", "report.pdf").acknowledged;
  assert.deepEqual(await harness.texts(), [`[file: download failed (report.pdf: ${reason})]`]);
  assert.deepEqual(harness.gateway.inbounds[0]?.media, []);
});

Deno.test("Feishu tries a download again that broke off, and leaves no piece of it", async () => {
  await using world = await withFolder();
  const { harness, mediaFolder } = world;
  const { platform, clock } = harness;
  platform.faults.plant("im.messageResource.get", { kind: "half_answer" });
  platform.faults.plant("im.messageResource.get", { kind: "status", status: 502 });
  const said = world.send("file", "report.pdf");
  await said.acknowledged;
  await until(async () => {
    await clock.advance(500);
    return harness.gateway.drafts.length === 0;
  });
  assert.deepEqual(await harness.texts(), [`[file: ${said.messageId}-report.pdf]`]);
  assert.deepEqual(await filesIn(mediaFolder), [`${said.messageId}-report.pdf`]);
  assert.equal(platform.calls("im.messageResource.get").length, 3);
});

Deno.test("Feishu says so when the disk cannot take a file", async () => {
  await using folder = await temporaryFolder();
  const blocked = join(folder.path, "file");
  await Deno.writeTextFile(blocked, "");
  await using harness = await Harness.ready({ mediaFolder: join(blocked, "media") });
  const key = harness.platform.storeFile({ name: "a.pdf", bytes: BYTES });
  const content = { file_key: key, file_name: "a.pdf" };
  await harness.platform.userSays({ msgType: "file", content }).acknowledged;
  assert.deepEqual(await harness.texts(), [
    "[file: download failed (a.pdf: it could not be stored)]",
  ]);
});

Deno.test("Feishu downloads nothing for strangers, nor what is not for the bot", async () => {
  await using world = await withFolder({ section: { allowFrom: ["ou_alice"] } });
  const { harness } = world;
  await world.send("file", "a.pdf", {}, { openId: "ou_stranger" }).acknowledged;
  await world.send("file", "a.pdf", {}, { chatId: "oc_team" }).acknowledged;
  assert.deepEqual(harness.gateway.inbounds, []);
  assert.deepEqual(harness.platform.calls("im.messageResource.get"), []);
});

Deno.test("Feishu completes after a restart what was accepted before, once", async () => {
  await using world = await withFolder();
  const { harness, mediaFolder } = world;
  const { platform, gateway } = harness;
  const never = Promise.withResolvers<void>();
  platform.faults.plant("im.messageResource.get", { kind: "wait", gate: never.promise });
  const first = world.send("file", "report.pdf");
  await first.acknowledged;
  await platform.userSays({ text: "please read it" }).acknowledged;
  await until(() => platform.calls("im.messageResource.get").length === 1);
  await Deno.mkdir(mediaFolder, { recursive: true });
  await Deno.writeTextFile(join(mediaFolder, "om_x-left.part"), "half");
  await harness.restart();
  assert.deepEqual(await harness.texts(), [
    `[file: ${first.messageId}-report.pdf]`,
    "please read it",
  ]);
  assert.deepEqual(await filesIn(mediaFolder), [`${first.messageId}-report.pdf`]);
  assert.equal(gateway.inbounds.length, 2);
  never.resolve();
});

Deno.test("Feishu takes a file from disk that an earlier run downloaded", async () => {
  await using world = await withFolder();
  const { harness } = world;
  const { gateway } = harness;
  const gate = Promise.withResolvers<void>();
  gateway.completionGate = gate.promise;
  const said = world.send("file", "report.pdf");
  await said.acknowledged;
  await until(() => harness.platform.calls("im.messageResource.get").at(-1)?.status === 200);
  await until(async () =>
    (await filesIn(world.mediaFolder)).some((name) => !name.endsWith("part"))
  );
  gateway.completionGate = Promise.resolve();
  await harness.restart();
  assert.deepEqual(await harness.texts(), [`[file: ${said.messageId}-report.pdf]`]);
  gate.resolve();
});
