import assert from "node:assert/strict";
import { join } from "node:path";
import {
  hasContents,
  swapContents,
  swapHome,
} from "../../../../channels/cli/backup/adapters/home_swap.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

/** All files below a folder, with what they hold. */
async function filesIn(folder: string, below = ""): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(join(folder, below))) {
    const path = join(below, name);
    if (isDirectory) Object.assign(found, await filesIn(folder, path));
    else if (name !== "gateway.lock") found[path] = await Deno.readTextFile(join(folder, path));
  }
  return found;
}

/** Fills a folder with a home whose files say `word`. */
function homeOf(word: string): (folder: string) => Promise<string> {
  return async (folder) => {
    await Deno.mkdir(join(folder, "state"));
    await Deno.writeTextFile(join(folder, "state", "fence.json"), word);
    await Deno.writeTextFile(join(folder, "config.json"), word);
    return word;
  };
}

Deno.test("A home that keeps its place gets other contents, and keeps the old ones aside", async () => {
  await using home = await temporaryFolder();
  await Deno.mkdir(join(home.path, "lost+found"));
  assert.equal(await hasContents(home.path), false);
  assert.deepEqual(await swapContents(home.path, homeOf("new")), { made: "new", aside: null });
  assert.equal(await hasContents(home.path), true);
  const { aside } = await swapContents(home.path, homeOf("newer"));
  await swapContents(home.path, homeOf("newest"));
  assert.equal(aside, join(home.path, "aside-1"));
  assert.deepEqual(await filesIn(home.path), {
    "config.json": "newest",
    "state/fence.json": "newest",
    "aside-1/config.json": "new",
    "aside-1/state/fence.json": "new",
    "aside-2/config.json": "newer",
    "aside-2/state/fence.json": "newer",
  });
});

Deno.test.each([
  { way: "whole", swap: swapHome },
  { way: "by its contents", swap: swapContents },
])("A home stays as it was when another one does not take its place $way", async ({ swap }) => {
  await using place = await temporaryFolder();
  const home = join(place.path, "home");
  await Deno.mkdir(home);
  await swapContents(home, homeOf("old"));
  const fill = async (folder: string) => {
    await homeOf("new")(folder);
    throw new Error("cut short");
  };
  await assert.rejects(swap(home, fill), { message: "cut short" });
  assert.deepEqual(await filesIn(place.path), {
    "home/config.json": "old",
    "home/state/fence.json": "old",
  });
});

Deno.test("A home that can be renamed is set aside whole", async () => {
  await using place = await temporaryFolder();
  const home = join(place.path, "home");
  assert.deepEqual(await swapHome(home, homeOf("old")), { made: "old", aside: null });
  const { aside } = await swapHome(home, homeOf("new"));
  assert.equal(aside, `${home}.aside-1`);
  assert.deepEqual(await filesIn(place.path), {
    "home/config.json": "new",
    "home/state/fence.json": "new",
    "home.aside-1/config.json": "old",
    "home.aside-1/state/fence.json": "old",
  });
});
