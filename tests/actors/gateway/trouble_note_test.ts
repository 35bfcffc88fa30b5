import assert from "node:assert/strict";
import { join } from "node:path";
import { TroubleNote } from "../../../actors/gateway/trouble_note.ts";
import { DiskTextFiles } from "../../../actors/kernel/adapters/text_files.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

Deno.test("A note of the journal's trouble is taken once, by the next gateway", async () => {
  await using folder = await temporaryFolder();
  const note = () => new TroubleNote(new DiskTextFiles(folder.path));
  assert.equal(await note().take(), null);
  await note().leave({ message: "the disk failed", sinceMs: 5 });
  assert.deepEqual(await note().take(), { message: "the disk failed", sinceMs: 5 });
  assert.equal(await note().take(), null);
});

Deno.test("A note of the journal's trouble that nobody can read is told once", async () => {
  await using folder = await temporaryFolder();
  await Deno.writeTextFile(join(folder.path, "journal-trouble.json"), "{");
  const note = new TroubleNote(new DiskTextFiles(folder.path));
  await assert.rejects(note.take(), SyntaxError);
  assert.equal(await note.take(), null);
});
