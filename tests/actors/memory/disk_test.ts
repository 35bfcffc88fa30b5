import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import git from "isomorphic-git";
import { DiskMemoryFiles } from "../../../actors/memory/adapters/disk_memory_files.ts";
import { GitVersions } from "../../../actors/memory/adapters/git_versions.ts";
import { MemoryKeeper } from "../../../actors/memory/memory_keeper.ts";
import { MemoryScope } from "../../../actors/memory/scope.ts";
import { LogRecorder } from "../../support/log_recorder.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const { global } = MemoryScope;
const NOON_MS = Date.UTC(2026, 3, 30, 12);

function keeperIn(workspace: string): MemoryKeeper {
  return new MemoryKeeper({
    files: new DiskMemoryFiles(workspace),
    versions: new GitVersions(join(workspace, "memory/.versions")),
    clock: new ManualClock(NOON_MS),
    timezone: "UTC",
  });
}

async function write(workspace: string, path: string, text: string): Promise<void> {
  await Deno.mkdir(join(workspace, path, ".."), { recursive: true });
  await Deno.writeTextFile(join(workspace, path), text);
}

function replace(from: string, to: string) {
  return { edit: { type: "replace", from, to }, reason: "Asked" } as const;
}

Deno.test("Versions on disk outlive a restart, with ids that can be looked up by their start", async () => {
  await using folder = await temporaryFolder();
  await write(folder.path, "SOUL.md", "calm\nquiet\nold\n");
  await keeperIn(folder.path).edit(global, "SOUL", replace("calm", "cheerful"));
  await write(folder.path, "SOUL.md", "cheerful\nquiet\nby hand\n");
  const keeper = keeperIn(folder.path);
  const list = await keeper.listVersions(10);
  const [newest, first] = list.state === "versions" ? list.versions : [];
  assert.equal(newest?.subject, "Asked");
  assert.match(newest?.id ?? "", /^[0-9a-f]{40}$/);
  assert.equal(newest?.atMs, NOON_MS);
  assert.equal(first?.subject, "Edited by hand");
  const shown = await keeper.showVersion(newest?.id.slice(0, 7) ?? "");
  assert.match(shown.state === "shown" ? shown.shown.diff : "", /^-calm\n\+cheerful$/m);
  const restored = await keeper.restoreVersion(newest?.id ?? "");
  assert.equal(restored.state, "restored");
  assert.equal(await Deno.readTextFile(join(folder.path, "SOUL.md")), "calm\nquiet\nby hand\n");
});

Deno.test("The repository of an owner, with what is staged there, is never touched", async () => {
  await using folder = await temporaryFolder();
  const dir = folder.path;
  await git.init({ fs, dir });
  await write(dir, "notes.md", "mine\n");
  await write(dir, "USER.md", "Anna\n");
  await git.add({ fs, dir, filepath: "notes.md" });
  const before = await contentsOf(join(dir, ".git"));
  await keeperIn(dir).edit(global, "USER", replace("Anna", "Anna Berg"));
  assert.deepEqual(await contentsOf(join(dir, ".git")), before);
  const log = await git.log({ fs, gitdir: join(dir, "memory/.versions"), ref: "main" });
  assert.deepEqual(log.map(({ commit }) => commit.message.split("\n")[0]), [
    "Asked",
    "Edited by hand",
  ]);
});

/** All files below a folder, as Base64 by path. */
async function contentsOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const contents = new Map<string, string>();
  for (const name of await fs.promises.readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    if ((await Deno.stat(path)).isFile) contents.set(name, (await Deno.readFile(path)).toBase64());
  }
  return contents;
}

Deno.test("A file of facts that is a link stays one", async () => {
  await using folder = await temporaryFolder();
  await write(folder.path, "kept/soul.txt", "calm\n");
  await Deno.symlink(join(folder.path, "kept/soul.txt"), join(folder.path, "SOUL.md"));
  await keeperIn(folder.path).edit(global, "SOUL", replace("calm", "quick"));
  assert.ok((await Deno.lstat(join(folder.path, "SOUL.md"))).isSymlink);
  assert.equal(await Deno.readTextFile(join(folder.path, "kept/soul.txt")), "quick\n");
});

Deno.test("A file of facts that is a link to nothing is not replaced, and the reason told", async () => {
  await using folder = await temporaryFolder();
  const link = join(folder.path, "SOUL.md");
  await Deno.symlink(join(folder.path, "unmounted/soul.txt"), link);
  const creating = keeperIn(folder.path).edit(global, "SOUL", {
    edit: { type: "write", text: "calm\n" },
    reason: "Asked",
  });
  await assert.rejects(creating, /"SOUL.md" is a link that leads nowhere/);
  assert.ok((await Deno.lstat(link)).isSymlink);
});

Deno.test("A repository that is broken costs the versions, not the memory", async () => {
  await using folder = await temporaryFolder();
  await write(folder.path, "memory/.versions", "no folder");
  await write(folder.path, "SOUL.md", "calm\n");
  const keeper = keeperIn(folder.path);
  const edited = await keeper.edit(global, "SOUL", replace("calm", "quick"));
  assert.deepEqual(edited, { state: "edited", path: "SOUL.md", version: null });
  await assert.rejects(keeper.listVersions(3), { code: "memory_versions_failed" });
});

Deno.test.each(["objects", "a former version"])(
  "Versions begin anew where %s were removed, and the damaged ones stay aside",
  async (what) => {
    await using folder = await temporaryFolder();
    const versions = join(folder.path, "memory/.versions");
    await write(folder.path, "SOUL.md", "calm\n");
    const keeper = keeperIn(folder.path);
    await keeper.edit(global, "SOUL", replace("calm", "quick"));
    const before = await keeper.listVersions(1);
    const lost = before.state === "versions" ? before.versions[0]?.id ?? "" : "";
    await keeper.edit(global, "SOUL", replace("quick", "slow"));
    const gone = what === "objects" ? "" : `${lost.slice(0, 2)}/${lost.slice(2)}`;
    await Deno.remove(join(versions, "objects", gone), { recursive: true });
    await using logs = await LogRecorder.start();
    const list = async () => {
      const listed = await keeper.listVersions(10);
      return listed.state === "versions" ? listed.versions.map(({ subject }) => subject) : listed;
    };
    assert.deepEqual(await list(), []);
    assert.deepEqual(await keeper.restoreVersion(lost), { state: "unknown" });
    await keeper.edit(global, "SOUL", replace("slow", "swift"));
    assert.match(JSON.stringify(await list()), /"Asked"/);
    assert.equal((await Deno.stat(join(versions, "damaged-1/HEAD"))).isFile, true);
    const told = logs.records.filter(({ message }) => /begin anew/.test(message.join("")));
    assert.equal(told.length, 1);
    await Deno.remove(join(versions, "objects"), { recursive: true });
    assert.deepEqual(await list(), []);
    assert.equal((await Deno.stat(join(versions, "damaged-2/HEAD"))).isFile, true);
    assert.equal((await Deno.stat(join(versions, "damaged-1/HEAD"))).isFile, true);
  },
);

Deno.test("An older HISTORY.md becomes entries that Dream does not digest again", async () => {
  await using folder = await temporaryFolder();
  const legacy = new TextEncoder().encode(
    "[2025-01-02 03:04] Moved to Bergen\n\n" +
      "[2025-01-03 10:00] [RAW] 2 messages\n[2025-01-03 09:59] USER: hi\n" +
      "[2025-01-03 10:00] ASSISTANT: hello\n\nUndated words X\n",
  );
  legacy[legacy.length - 2] = 0xff; // no UTF-8
  await write(folder.path, "memory/history.jsonl", "");
  await Deno.writeFile(join(folder.path, "memory/HISTORY.md"), legacy);
  await keeperIn(folder.path).open();
  const text = await Deno.readTextFile(join(folder.path, "memory/history.jsonl"));
  const entries = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(entries.map(({ cursor }) => cursor), [1, 2, 3]);
  assert.deepEqual(entries[0], {
    ...{ cursor: 1, timestamp: "2025-01-02 03:04", content: "Moved to Bergen" },
  });
  assert.match(entries[1].content, /^\[RAW\] 2 messages\n.* USER: hi\n.* ASSISTANT: hello$/);
  assert.match(entries[2].content, /^Undated words /);
  for (const name of [".cursor", ".dream_cursor"]) {
    assert.equal(await Deno.readTextFile(join(folder.path, "memory", name)), "3");
  }
  assert.deepEqual(await Deno.readFile(join(folder.path, "memory/HISTORY.md.bak")), legacy);
});

Deno.test.each(
  [
    ["dated lines without blanks", "[2025-01-01 10:00] a\n[2025-01-02 10:00] b\n", ["a", "b"]],
    [
      "a dump and a dated line",
      "[2025-01-01 10:00] [RAW] 1 messages\n[2025-01-01 10:00] USER: hi\n\n[2025-01-02 10:00] b",
      ["[RAW] 1 messages\n[2025-01-01 10:00] USER: hi", "b"],
    ],
    [
      "dates of other forms",
      "[2025-01-01 to 2025-01-03] trip\n[2025-02] c\n",
      ["[2025-01-01 to 2025-01-03] trip\n[2025-02] c"],
    ],
  ] as const,
)("An older history with %s is split where it should be", async (_name, text, contents) => {
  await using folder = await temporaryFolder();
  await write(folder.path, "memory/HISTORY.md", text);
  await write(folder.path, "memory/HISTORY.md.bak", "earlier");
  await keeperIn(folder.path).open();
  const history = await Deno.readTextFile(join(folder.path, "memory/history.jsonl"));
  const entries = history.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(entries.map(({ content }) => content), contents);
  assert.equal(await Deno.readTextFile(join(folder.path, "memory/HISTORY.md.bak.2")), text);
});

Deno.test("A newer history keeps an older one from being taken over", async () => {
  await using folder = await temporaryFolder();
  const entry = '{"cursor":4,"timestamp":"t","content":"c"}\n';
  await write(folder.path, "memory/history.jsonl", entry);
  await write(folder.path, "memory/HISTORY.md", "[2025-01-01 10:00] a\n");
  await keeperIn(folder.path).open();
  assert.equal(await Deno.readTextFile(join(folder.path, "memory/history.jsonl")), entry);
  assert.ok((await Deno.stat(join(folder.path, "memory/HISTORY.md"))).isFile);
});

Deno.test("An id of no version, or of a file in one, is unknown on disk too", async () => {
  await using folder = await temporaryFolder();
  await write(folder.path, "SOUL.md", "calm\n");
  const keeper = keeperIn(folder.path);
  assert.deepEqual(await keeper.showVersion("ffffffff"), { state: "unknown" });
  await keeper.edit(global, "SOUL", replace("calm", "quick"));
  assert.deepEqual(await keeper.showVersion("ffffffff"), { state: "unknown" });
  const gitdir = join(folder.path, "memory/.versions");
  const { oid } = await git.hashBlob({ object: "quick\n" });
  assert.ok((await git.readBlob({ fs, gitdir, oid })).blob.length > 0, "it is there");
  assert.deepEqual(await keeper.showVersion(oid), { state: "unknown" });
});
