import assert from "node:assert/strict";
import { join } from "node:path";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { LockFile } from "../../../actors/gateway/adapters/lock_file.ts";
import { LockedError, StartError } from "../../../actors/gateway/errors.ts";
import { takeLocks, takeStateLock } from "../../../actors/gateway/locks.ts";

Deno.test("A second holder of a state folder hears who the first one is", async () => {
  await using folder = await temporaryFolder();
  const places = { stateFolder: join(folder.path, "state"), workspace: join(folder.path, "ws") };
  using _locks = await takeLocks(places, "gateway");
  await assert.rejects(takeLocks(places, "agent"), (error) => {
    assert.ok(error instanceof LockedError);
    assert.equal(error.code, "state_locked");
    assert.equal(error.exitCode, 2);
    assert.equal(error.holder?.pid, Deno.pid);
    assert.ok(error.message.startsWith(
      `Cannot use state folder "${places.stateFolder}": process ${Deno.pid} (troupe gateway, since `,
    ));
    assert.doesNotMatch(error.message, /\n/);
    return true;
  });
});

Deno.test("A workspace is held against another configuration, by whichever path it comes", async () => {
  await using folder = await temporaryFolder();
  const workspace = join(folder.path, "ws");
  using _locks = await takeLocks({ stateFolder: join(folder.path, "one"), workspace }, "gateway");
  await Deno.symlink(workspace, join(folder.path, "link"));
  const other = { stateFolder: join(folder.path, "two"), workspace: join(folder.path, "link") };
  await assert.rejects(takeLocks(other, "gateway"), { code: "workspace_locked" });
  // Whoever is refused keeps nothing.
  using _free = await takeStateLock(other.stateFolder, "status");
});

Deno.test("What is let go can be taken again, and names nobody meanwhile", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "lock");
  const first = await LockFile.take(path, "gateway");
  assert.ok(first.state === "held");
  first.lock[Symbol.dispose]();
  first.lock[Symbol.dispose]();
  assert.equal(await Deno.readTextFile(path), "");
  const second = await LockFile.take(path, "agent");
  assert.ok(second.state === "held");
  using _lock = second.lock;
  const third = await LockFile.take(path, "status");
  assert.ok(third.state === "taken");
  assert.equal(third.holder?.command, "agent");
});

Deno.test("A lock file with something else in it still refuses, without a name", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "lock");
  const held = await LockFile.take(path, "gateway");
  assert.ok(held.state === "held");
  using _lock = held.lock;
  await Deno.writeTextFile(path, "not JSON");
  assert.deepEqual(await LockFile.take(path, "status"), { state: "taken", holder: null });
});

Deno.test("The state folder is made for its owner only", async () => {
  await using folder = await temporaryFolder();
  const stateFolder = join(folder.path, "a", "state");
  await Deno.mkdir(stateFolder, { recursive: true, mode: 0o755 });
  using _lock = await takeStateLock(stateFolder, "gateway");
  const { mode } = await Deno.stat(stateFolder);
  assert.equal((mode ?? 0) & 0o777, 0o700);
});

Deno.test.each(["stateFolder", "workspace"] as const)(
  "A %s that is a file is refused with what to do",
  async (which) => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "file");
    await Deno.writeTextFile(file, "");
    const places = { stateFolder: join(folder.path, "s"), workspace: join(folder.path, "w") };
    await assert.rejects(takeLocks({ ...places, [which]: file }, "gateway"), (error) => {
      assert.ok(error instanceof StartError);
      assert.match(
        error.message,
        /^Cannot use (state folder|workspace) ".*": .*; make it a folder/,
      );
      assert.match(error.message, /--(config|workspace)$/);
      assert.doesNotMatch(error.message, /os error|\n/);
      return true;
    });
  },
);
