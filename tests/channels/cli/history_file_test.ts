import assert from "node:assert/strict";
import { join } from "node:path";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { HistoryFile } from "../../../channels/cli/adapters/history_file.ts";

Deno.test("HistoryFile offers what was typed, newest first, to its owner only", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "home", "terminal_history");
  const history = new HistoryFile(path);
  assert.deepEqual(await history.load(), []);
  await history.append("first");
  await history.append("bro\ud83dken 世界");
  assert.deepEqual(await new HistoryFile(path).load(), ["bro\ufffdken 世界", "first"]);
  assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
});

Deno.test("HistoryFile is cut back when it has grown long", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "terminal_history");
  await Deno.writeTextFile(path, Array.from({ length: 2_001 }, (_, n) => `${n}\n`).join(""));
  const entries = await new HistoryFile(path).load();
  assert.deepEqual([entries.length, entries[0], entries.at(-1)], [1_000, "2000", "1001"]);
  assert.equal((await Deno.readTextFile(path)).split("\n").length, 1_001);
  assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
});

Deno.test("HistoryFile that cannot be written is no reason to fail", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "file");
  await Deno.writeTextFile(file, "");
  await new HistoryFile(join(file, "below")).append("x");
  assert.deepEqual(await new HistoryFile(join(file, "below")).load(), []);
});
