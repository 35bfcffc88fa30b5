import assert from "node:assert/strict";
import { join } from "node:path";
import { WorkspaceFiles } from "../../../actors/tools/adapters/workspace_files.ts";
import { toolBench } from "../../support/tool_context.ts";

const REFUSED = { code: "path_protected", message: /belongs to another conversation/ };

Deno.test("Tools see files that were sent in their conversation, and no others", async () => {
  await using bench = await toolBench();
  // The folder is reached by a link, as a home folder may be.
  const real = join(bench.root, "kept");
  await Deno.mkdir(join(real, "feishu"), { recursive: true });
  const named = join(bench.root, "media");
  await Deno.symlink(real, named);
  const [mine, theirs] = ["mine.txt", "theirs.txt"].map((name) => join(named, "feishu", name));
  assert.ok(mine !== undefined && theirs !== undefined);
  for (const path of [mine, theirs]) await Deno.writeTextFile(path, "words");
  const files = new WorkspaceFiles({
    workspace: bench.workspace,
    homeFolder: bench.root,
    isRestricted: false,
    readableRoots: [real],
    protectedPaths: [],
    sentFolder: { named, real },
  }, () => "id");
  const own = files.forSession({ sessionKey: "feishu:a", sentFiles: [mine] });
  assert.equal((await own.read(mine, 100)).length, 5);
  await Deno.symlink(theirs, join(bench.workspace, "way_in.txt"));
  for (const path of [theirs, join(real, "feishu/theirs.txt"), "way_in.txt"]) {
    await assert.rejects(own.read(path, 100), REFUSED);
  }
  for (const folder of [named, join(named, "feishu"), real]) {
    await assert.rejects(own.list(folder, 10), REFUSED);
  }
  assert.equal((await files.read(theirs, 100)).length, 5, "the gateway sees all");
});

Deno.test.each(["/", "..", "", "feishu"])("A folder is no file that was sent: %s", async (tail) => {
  await using bench = await toolBench();
  const named = join(bench.root, "media");
  await Deno.mkdir(join(named, "feishu"), { recursive: true });
  const files = new WorkspaceFiles({
    ...{ workspace: bench.workspace, homeFolder: bench.root, isRestricted: false },
    ...{ readableRoots: [], protectedPaths: [], sentFolder: { named, real: named } },
  }, () => "id");
  const own = files.forSession({ sessionKey: "a", sentFiles: [join(named, tail)] });
  await assert.rejects(own.list(named, 10), REFUSED);
  await assert.rejects(own.list(join(named, "slack"), 10), REFUSED);
});
