import assert from "node:assert/strict";
import { join } from "node:path";
import { DiskSessionFiles } from "../../../../actors/session/adapters/disk_files.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

async function namesIn(folder: string): Promise<string[]> {
  const names = [];
  for await (const { name } of Deno.readDir(folder)) names.push(name);
  return names.toSorted();
}

Deno.test("DiskSessionFiles finds nothing before the first write, and makes no folder", async () => {
  await using root = await temporaryFolder();
  const folder = join(root.path, "sessions");
  assert.equal(await new DiskSessionFiles(folder).read("a.jsonl"), null);
  assert.deepEqual(await namesIn(root.path), []);
});

Deno.test("DiskSessionFiles appends to files that only the owner reads", async () => {
  await using root = await temporaryFolder();
  const folder = join(root.path, "deep", "sessions");
  const files = new DiskSessionFiles(folder);
  await files.append("a.jsonl", "你好\n");
  await files.append("a.jsonl", "two\n");
  assert.equal(await files.read("a.jsonl"), "你好\ntwo\n");
  const { mode } = await Deno.stat(join(folder, "a.jsonl"));
  assert.equal((mode ?? 0) & 0o777, 0o600);
});

Deno.test("DiskSessionFiles replaces a file whole and leaves nothing else behind", async () => {
  await using root = await temporaryFolder();
  const files = new DiskSessionFiles(join(root.path, "sessions"));
  await files.replace("a.jsonl", "one\n");
  await files.append("a.jsonl", "two\n");
  await files.replace("a.jsonl", "new\n");
  assert.equal(await files.read("a.jsonl"), "new\n");
  assert.deepEqual(await namesIn(join(root.path, "sessions")), ["a.jsonl"]);
});

Deno.test("DiskSessionFiles leaves no temporary file when it cannot replace", async () => {
  await using root = await temporaryFolder();
  const files = new DiskSessionFiles(root.path);
  await Deno.mkdir(join(root.path, "a.jsonl", "inside"), { recursive: true });
  await assert.rejects(files.replace("a.jsonl", "one\n"));
  assert.deepEqual(await namesIn(root.path), ["a.jsonl"]);
});

Deno.test("DiskSessionFiles reads bytes that are no UTF-8 as replacement characters", async () => {
  await using root = await temporaryFolder();
  await Deno.writeFile(join(root.path, "a.jsonl"), new Uint8Array([0x61, 0xff, 0x0a]));
  assert.equal(await new DiskSessionFiles(root.path).read("a.jsonl"), "a\ufffd\n");
});

Deno.test("DiskSessionFiles passes on what is no missing file", async () => {
  await using root = await temporaryFolder();
  await Deno.mkdir(join(root.path, "a.jsonl"));
  await assert.rejects(new DiskSessionFiles(root.path).read("a.jsonl"));
});

/** /dev/full takes nothing: every write to it says that the disk is full. */
const HAS_FULL_DEVICE = await Deno.stat("/dev/full").then(() => true, () => false);

Deno.test({
  name: "DiskSessionFiles tells that the disk is full",
  ignore: !HAS_FULL_DEVICE,
  async fn() {
    await using root = await temporaryFolder();
    await Deno.symlink("/dev/full", join(root.path, "a.jsonl"));
    await assert.rejects(new DiskSessionFiles(root.path).append("a.jsonl", "one\n"), /space/i);
  },
});

Deno.test({
  name: "DiskSessionFiles cuts a file back when the disk fills up half-way through a line",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using root = await temporaryFolder();
    const module = new URL("../../../../actors/session/adapters/disk_files.ts", import.meta.url);
    const script = `
      import { DiskSessionFiles } from ${JSON.stringify(module.href)};
      const files = new DiskSessionFiles(${JSON.stringify(root.path)});
      await files.append("a.jsonl", "x".repeat(1000) + "\\n");
      try {
        await files.append("a.jsonl", "y".repeat(1_000_000) + "\\n");
      } catch (error) {
        console.log(error.message);
      }`;
    // A limit on the size of files plays the full disk: a part is taken, then nothing more.
    const child = new Deno.Command("sh", {
      args: [
        "-c",
        `trap '' XFSZ; ulimit -f 64; exec "$0" eval --no-lock "$1"`,
        Deno.execPath(),
        script,
      ],
    });
    const { stdout, stderr } = await child.output();
    assert.match(new TextDecoder().decode(stdout), /too large/i, new TextDecoder().decode(stderr));
    assert.equal(await Deno.readTextFile(join(root.path, "a.jsonl")), "x".repeat(1000) + "\n");
  },
});

Deno.test("DiskSessionFiles ends a last line that an editor left open before it appends", async () => {
  await using root = await temporaryFolder();
  const files = new DiskSessionFiles(root.path);
  await Deno.writeTextFile(join(root.path, "a.jsonl"), "by hand: 你好");
  await files.append("a.jsonl", "two\n");
  await files.append("a.jsonl", "three\n");
  assert.equal(await files.read("a.jsonl"), "by hand: 你好\ntwo\nthree\n");
});
