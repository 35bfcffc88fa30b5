import assert from "node:assert/strict";
import { importsOf, reachableFrom } from "../../../tidy/module_graph.ts";

/** What a host runs before a first listing of a folder is there. */
const ROOTS = [
  "actors/tools/host/adapters/host_entry.ts",
  "actors/tools/host/adapters/host_worker.ts",
  "actors/tools/host/adapters/files_kind.ts",
  "actors/tools/list_dir.ts",
  "actors/tools/read_file.ts",
];

Deno.test("The first call of a file tool waits for no package", async () => {
  const imports = (await importsOf(ROOTS))
    .filter(({ isTypeOnly, isLate }) => !isTypeOnly && !isLate);
  const read = [...reachableFrom(ROOTS, imports)];
  assert.ok(read.includes("actors/tools/folder_walk.ts"), "the graph is there");
  assert.deepEqual(read.filter((file) => file.startsWith("npm:")), []);
});
