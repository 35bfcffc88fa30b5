import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { ShellFolder } from "../../../../actors/tools/shell/adapters/shell_folder.ts";

/** A folder as a level leaves it. */
async function leftover(ageMs: number): Promise<{ readonly path: string; readonly lock: string }> {
  const path = await Deno.makeTempDir({ prefix: "troupe-shell-" });
  const lock = join(path, "lock");
  await Deno.writeTextFile(lock, "");
  const thenMs = Date.now() - ageMs;
  await Deno.utime(path, new Date(thenMs), new Date(thenMs));
  return { path, lock };
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

Deno.test("A shell's folder that a dead gateway left behind goes with the next start", async () => {
  const [dead, young, held] = [await leftover(90_000), await leftover(0), await leftover(90_000)];
  using lock = await Deno.open(held.lock, { write: true });
  await lock.lock(true);
  const own = await ShellFolder.make();
  assert.equal(dirname(own.path), await Deno.realPath(dirname(dead.path)));
  const kept = await Promise.all([dead, young, held, own].map(({ path }) => exists(path)));
  assert.deepEqual(kept, [false, true, true, true]);
  await own[Symbol.asyncDispose]();
  assert.equal(await exists(own.path), false);
  for (const { path } of [young, held]) await Deno.remove(path, { recursive: true });
});
