import assert from "node:assert/strict";
import { join } from "node:path";
import { listSessionFiles } from "../../../../actors/session/adapters/session_folder.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

Deno.test("listSessionFiles gives sessions' files with their times, and nothing else", async () => {
  await using folder = await temporaryFolder();
  const { path } = folder;
  for (const name of ["cli_direct.jsonl", "cli_direct.jsonl.ended", "notes.txt"]) {
    await Deno.writeTextFile(join(path, name), "");
  }
  await Deno.mkdir(join(path, "folder.jsonl"));
  const then = new Date("2026-01-02T03:04:05Z");
  await Deno.utime(join(path, "cli_direct.jsonl"), then, then);
  assert.deepEqual(await Array.fromAsync(listSessionFiles(path)), [
    { name: "cli_direct.jsonl", modifiedAtMs: then.getTime() },
  ]);
  const missing = join(path, "missing");
  assert.deepEqual(await Array.fromAsync(listSessionFiles(missing)), []);
});
