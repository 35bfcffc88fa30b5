import assert from "node:assert/strict";
import { GitVersions } from "../../actors/memory/adapters/git_versions.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

Deno.test("The versions of the memory are a repository that Git itself finds sound", async () => {
  await using folder = await temporaryFolder();
  const versions = new GitVersions(`${folder.path}/memory/.versions`);
  const files = new Map([["SOUL.md", "calm\n"], ["memory/scopes/a%3Ab/MEMORY.md", "tea\n"]]);
  await versions.commit({ files, message: "one", atMs: 1_000_000_000_000 });
  const changed = new Map([...files, ["SOUL.md", "cheerful\n"]]);
  const id = await versions.commit({
    files: changed,
    message: "two\n\nwhy",
    atMs: 1_000_000_060_000,
  });
  const git = async (...args: string[]) => {
    const { success, stdout, stderr } = await new Deno.Command("git", {
      args: [`--git-dir=${folder.path}/memory/.versions`, ...args],
    }).output();
    const decoder = new TextDecoder();
    assert.ok(success, decoder.decode(stderr));
    return decoder.decode(stdout);
  };
  await git("fsck", "--strict", "--no-dangling");
  assert.equal((await git("rev-parse", "main")).trim(), id);
  assert.equal(await git("show", "--format=%s", "--name-only", "main"), "two\n\nSOUL.md\n");
});
