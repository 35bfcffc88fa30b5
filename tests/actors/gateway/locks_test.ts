import assert from "node:assert/strict";
import { join } from "node:path";
import { ManualClock } from "../../support/manual_clock.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { until } from "../../support/until.ts";
import { LockFile } from "../../../actors/gateway/adapters/lock_file.ts";
import { LockedError, StartError } from "../../../actors/gateway/errors.ts";
import { type LockTaker, takeLocks, takeStateLock } from "../../../actors/gateway/locks.ts";
import { systemClock } from "../../../actors/kernel/adapters/system_clock.ts";

function taker(command: string): LockTaker {
  return { clock: systemClock, command };
}

function purpose(command: string) {
  return { command, isBrief: false };
}

Deno.test("A second holder of a state folder hears who the first one is", async () => {
  await using folder = await temporaryFolder();
  const places = { stateFolder: join(folder.path, "state"), workspace: join(folder.path, "ws") };
  using _locks = await takeLocks(places, taker("gateway"));
  await assert.rejects(takeLocks(places, taker("agent")), (error) => {
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
  using _locks = await takeLocks(
    { stateFolder: join(folder.path, "one"), workspace },
    taker("gateway"),
  );
  await Deno.symlink(workspace, join(folder.path, "link"));
  const other = { stateFolder: join(folder.path, "two"), workspace: join(folder.path, "link") };
  await assert.rejects(takeLocks(other, taker("gateway")), { code: "workspace_locked" });
  // Whoever is refused keeps nothing.
  using _free = await takeStateLock(other.stateFolder, taker("status"));
});

Deno.test("What is let go can be taken again, and names nobody meanwhile", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "lock");
  const first = await LockFile.take(path, purpose("gateway"));
  assert.ok(first.state === "held");
  first.lock[Symbol.dispose]();
  first.lock[Symbol.dispose]();
  assert.equal(await Deno.readTextFile(path), "");
  const second = await LockFile.take(path, purpose("agent"));
  assert.ok(second.state === "held");
  using _lock = second.lock;
  const third = await LockFile.take(path, purpose("status"));
  assert.ok(third.state === "taken");
  assert.equal(third.holder?.command, "agent");
});

Deno.test("A lock file with something else in it still refuses, without a name", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "lock");
  const held = await LockFile.take(path, purpose("gateway"));
  assert.ok(held.state === "held");
  using _lock = held.lock;
  await Deno.writeTextFile(path, "not JSON");
  assert.deepEqual(await LockFile.take(path, purpose("status")), { state: "taken", holder: null });
});

Deno.test("The state folder is made for its owner only", async () => {
  await using folder = await temporaryFolder();
  const stateFolder = join(folder.path, "a", "state");
  await Deno.mkdir(stateFolder, { recursive: true, mode: 0o755 });
  using _lock = await takeStateLock(stateFolder, taker("gateway"));
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
    await assert.rejects(takeLocks({ ...places, [which]: file }, taker("gateway")), (error) => {
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

Deno.test("A gateway waits for who only looks into the state folder for a moment", async () => {
  await using folder = await temporaryFolder();
  const places = { stateFolder: join(folder.path, "s"), workspace: join(folder.path, "w") };
  const look = await takeStateLock(places.stateFolder, taker("status"));
  const clock = new ManualClock();
  const taking = takeLocks(places, { clock, command: "gateway" });
  await until(() => clock.pending === 1, { what: "the wait" });
  look[Symbol.dispose]();
  await clock.advance(50);
  using _locks = await taking;
});

Deno.test("A gateway does not wait for ever for who only looks", async () => {
  await using folder = await temporaryFolder();
  const places = { stateFolder: join(folder.path, "s"), workspace: join(folder.path, "w") };
  using _look = await takeStateLock(places.stateFolder, taker("status"));
  const clock = new ManualClock();
  let isOver = false;
  const taking = takeLocks(places, { clock, command: "gateway" }).finally(() => isOver = true);
  taking.catch(() => {});
  await until(async () => {
    await clock.advance(50);
    return isOver;
  });
  await assert.rejects(taking, { code: "state_locked" });
});

Deno.test("A lock that was let go can be taken at once, though children are being started", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.lock");
  const starting = new AbortController();
  const children = (async () => {
    while (!starting.signal.aborted) await new Deno.Command("true").output();
  })();
  const states: string[] = [];
  for (let round = 0; round < 400; round++) {
    const attempt = await LockFile.take(path, purpose("gateway"));
    states.push(attempt.state);
    if (attempt.state === "held") attempt.lock[Symbol.dispose]();
  }
  starting.abort();
  await children;
  assert.ok(states.every((state) => state === "held"), states.join());
});
