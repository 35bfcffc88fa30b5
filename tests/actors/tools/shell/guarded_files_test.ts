import assert from "node:assert/strict";
import { join } from "node:path";
import { ReadWriteFs } from "just-bash";
import { GuardedFiles } from "../../../../actors/tools/shell/adapters/guarded_files.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

const FILES = ["sessions/a.jsonl", "memory/history.jsonl", "state/key", "notes/b.md", "free/key"];

/** A folder with a part that is fixed and one that is hidden. */
async function ground(): Promise<AsyncDisposable & { readonly files: GuardedFiles }> {
  const folder = await temporaryFolder();
  const root = await Deno.realPath(folder.path);
  for (const file of FILES) {
    await Deno.mkdir(join(root, file, ".."), { recursive: true });
    await Deno.writeTextFile(join(root, file), file);
  }
  const files = new GuardedFiles(new ReadWriteFs({ root }), root, {
    readOnlyPaths: [join(root, "sessions"), join(root, "memory")],
    hiddenPaths: [join(root, "state")],
  });
  return { files, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

type Deed = readonly [what: string, deed: (files: GuardedFiles) => Promise<unknown>];

const REFUSED: readonly Deed[] = [
  ["writes into what is fixed", (files) => files.writeFile("/sessions/new", "x")],
  ["by a detour", (files) => files.writeFile("/notes/../sessions/new", "x")],
  ["in another case", (files) => files.writeFile("/SESSIONS/new", "x")],
  ["in letters that fold to its own", (files) => files.writeFile("/ſeſſions/new", "x")],
  ["appends to it", (files) => files.appendFile("/memory/history.jsonl", "x")],
  ["makes a folder there", (files) => files.mkdir("/sessions/x/y", { recursive: true })],
  ["takes it away", (files) => files.rm("/sessions/a.jsonl")],
  ["takes all away", (files) => files.rm("/", { recursive: true, force: true })],
  ["moves it", (files) => files.mv("/sessions", "/notes/s")],
  ["puts something in its place", (files) => files.mv("/notes", "/memory")],
  ["copies over it", (files) => files.cp("/notes/b.md", "/sessions/a.jsonl")],
  ["gives it another name", (files) => files.link("/memory/history.jsonl", "/notes/h")],
  ["puts a link there", (files) => files.symlink("../notes/b.md", "/memory/l")],
  ["changes its mode", (files) => files.chmod("/sessions", 0o777)],
  ["changes its times", (files) => files.utimes("/sessions", new Date(0), new Date(0))],
  ["reads what is hidden", (files) => files.readFile("/state/key")],
  ["reads its bytes", (files) => files.readFileBytes("/state/key")],
  ["lists it", (files) => files.readdir("/state")],
  ["looks at it", (files) => files.stat("/state/key")],
  ["copies what holds it", (files) => files.cp("/", "/notes/all", { recursive: true })],
];

Deno.test("Guarded files refuse who would change what is fixed, or read what is hidden", async () => {
  await using place = await ground();
  for (const [what, deed] of REFUSED) {
    await assert.rejects(deed(place.files), /EACCES: permission denied/, what);
  }
  for (const file of FILES.filter((name) => !name.startsWith("state"))) {
    assert.equal(await place.files.readFile(`/${file}`), file);
  }
  assert.equal(await place.files.exists("/state/key"), false);
});

Deno.test("Guarded files do not let a tree be copied over what is fixed", async () => {
  await using place = await ground();
  const { files } = place;
  await files.mkdir("/evil/Memory", { recursive: true });
  await files.writeFile("/evil/Memory/History.jsonl", "x");
  await assert.rejects(files.cp("/evil", "/", { recursive: true }), /EACCES/);
});

Deno.test("Guarded files do everything else", async () => {
  await using place = await ground();
  const { files } = place;
  await files.cp("/notes", "/copies", { recursive: true });
  await files.cp("/sessions/a.jsonl", "/copies/a.jsonl");
  await files.mv("/copies", "/moved");
  await files.appendFile("/moved/a.jsonl", "!");
  await files.writeFile("/sessions.txt", "no part of the folder");
  await files.chmod("/sessions.txt", 0o600);
  await files.rm("/notes", { recursive: true });
  assert.equal(await files.readFile("/moved/a.jsonl"), "sessions/a.jsonl!");
  assert.deepEqual(
    (await files.readdir("/")).toSorted(),
    ["free", "memory", "moved", "sessions", "sessions.txt", "state"],
  );
});
