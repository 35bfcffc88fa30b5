import assert from "node:assert/strict";
import { join } from "node:path";
import { DiskMemoryFiles } from "../../../actors/memory/adapters/disk_memory_files.ts";
import { parseEntry } from "../../../actors/memory/history_file.ts";
import { INTENT_PATH } from "../../../actors/memory/intent.ts";
import { MemoryKeeper } from "../../../actors/memory/memory_keeper.ts";
import { MemoryScope } from "../../../actors/memory/scope.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { ListedVersions } from "../../support/memory_files.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const { global } = MemoryScope;

interface Bench extends AsyncDisposable {
  readonly workspace: string;
  readonly versions: ListedVersions;
  readonly keeper: MemoryKeeper;
  path(name: string): string;
}

/** A memory over real files. */
async function bench(): Promise<Bench> {
  const folder = await temporaryFolder();
  const versions = new ListedVersions();
  const workspace = join(folder.path, "workspace");
  await Deno.mkdir(join(workspace, "memory"), { recursive: true });
  const files = new DiskMemoryFiles(workspace);
  const keeper = new MemoryKeeper({ files, versions, clock: new ManualClock(), timezone: "UTC" });
  return {
    ...{ workspace, versions, keeper },
    path: (name) => join(workspace, name),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

function replace(from: string, to: string) {
  return { edit: { type: "replace", from, to }, reason: "Asked" } as const;
}

function remembered(key: string) {
  return { content: key, key, sessionKey: "cli:direct", kind: "summary" } as const;
}

Deno.test("A file of facts in another encoding is refused and stays as it is", async () => {
  await using memory = await bench();
  const inGbk = Uint8Array.of(0xd6, 0xd0, 0xce, 0xc4, 0x0a, 0x74, 0x65, 0x61, 0x0a);
  await Deno.writeFile(memory.path("memory/MEMORY.md"), inGbk);
  await memory.keeper.append(global, remembered("one"));
  await assert.rejects(
    memory.keeper.edit(global, "MEMORY", replace("tea", "coffee")),
    /"memory\/MEMORY.md" is no UTF-8 text; save it as UTF-8/,
  );
  await assert.rejects(
    memory.keeper.nextBatch(global, { entriesMax: 9, charsMax: 999 }),
    /is no UTF-8 text/,
  );
  assert.deepEqual(await Deno.readFile(memory.path("memory/MEMORY.md")), inGbk);
});

Deno.test("A byte order mark before a file of facts stays", async () => {
  await using memory = await bench();
  await Deno.writeTextFile(memory.path("SOUL.md"), "\uFEFFcalm\n");
  await memory.keeper.edit(global, "SOUL", replace("calm", "cheerful"));
  assert.equal(await Deno.readTextFile(memory.path("SOUL.md")), "\uFEFFcheerful\n");
});

Deno.test("A pipe in the place of a file of facts keeps nobody waiting", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using memory = await bench();
  await new Deno.Command("mkfifo", { args: [memory.path("memory/MEMORY.md")] }).output();
  await assert.rejects(
    memory.keeper.edit(global, "MEMORY", replace("", "tea")),
    /"memory\/MEMORY.md" is no file; move it away/,
  );
});

Deno.test("A change that was written down reaches no file but those of the memory", async () => {
  await using memory = await bench();
  const change = (path: string) => ({ files: [{ path, before: null, after: "evil" }] });
  for (
    const path of ["../outside.txt", "skills/.proposed/../../x.md", "memory/scopes/../../x.md"]
  ) {
    const intent = { ...change(path), cursor: null, subject: "dream" };
    await Deno.writeTextFile(memory.path(INTENT_PATH), JSON.stringify(intent));
    const files = new DiskMemoryFiles(memory.workspace);
    await new MemoryKeeper({ files, clock: new ManualClock(), timezone: "UTC" }).open();
    await assert.rejects(Deno.stat(memory.path(path)), Deno.errors.NotFound, path);
    await assert.rejects(Deno.stat(memory.path(INTENT_PATH)), Deno.errors.NotFound);
  }
});

Deno.test("Half of a character leaves one version, as the file reads", async () => {
  await using memory = await bench();
  await Deno.writeTextFile(memory.path("SOUL.md"), "calm\n");
  await memory.keeper.edit(global, "SOUL", replace("calm", "glad \ud83d"));
  await memory.keeper.edit(global, "SOUL", replace("glad", "merry"));
  const subjects = memory.versions.versions.map(({ message }) => message.split("\n")[0]);
  assert.deepEqual(subjects, ["Edited by hand", "Asked", "Asked"]);
});

Deno.test("A history with a byte order mark loses no entry", () => {
  const line = '\uFEFF{"cursor":7,"timestamp":"2026-04-30 12:00","content":"tea"}\r';
  assert.equal(parseEntry(line)?.cursor, 7);
});

Deno.test("A number that leaves no room for further ones is none", async () => {
  await using memory = await bench();
  const entry = { cursor: Number.MAX_SAFE_INTEGER, timestamp: "2026-04-30 12:00", content: "x" };
  await Deno.writeTextFile(memory.path("memory/history.jsonl"), `${JSON.stringify(entry)}\n`);
  await Deno.writeTextFile(memory.path("memory/.cursor"), String(entry.cursor));
  const first = await memory.keeper.append(global, remembered("one"));
  assert.equal(first.state === "appended" && first.entry.cursor, 1);
  assert.equal((await memory.keeper.append(global, remembered("one"))).state, "repeated");
});
