/** Tests of syncing a file at once or by a thread. @module */

import assert from "node:assert/strict";
import { LogSync } from "../../../actors/journal/adapters/log_sync.ts";

/** A disk whose next sync takes `tookMs`, and that says how it was asked. */
function aDisk() {
  const asked: ("at once" | "by a thread")[] = [];
  const disk = { tookMs: 0.2, nowMs: 0 };
  const took = (how: "at once" | "by a thread") => {
    asked.push(how);
    disk.nowMs += disk.tookMs;
  };
  const file = {
    syncDataSync: () => took("at once"),
    syncData: () => Promise.resolve(took("by a thread")),
  };
  return { asked, disk, sync: new LogSync(file, () => disk.nowMs) };
}

Deno.test("LogSync syncs at once while the disk is fast", () => {
  const { asked, sync } = aDisk();
  for (let count = 0; count < 3; count++) assert.equal(sync.sync(), undefined);
  assert.deepEqual(asked, ["at once", "at once", "at once"]);
});

Deno.test("LogSync leaves a slow disk to a thread, and tries it again after a while", async () => {
  const { asked, disk, sync } = aDisk();
  disk.tookMs = 5;
  assert.equal(sync.sync(), undefined);
  let byThread = 0;
  for (let next = sync.sync(); next !== undefined; next = sync.sync()) {
    await next;
    byThread++;
    if (byThread === 100) disk.tookMs = 0.2;
  }
  assert.ok(byThread >= 100, `${byThread} by a thread`);
  assert.equal(asked.at(-1), "at once");
  assert.equal(sync.sync(), undefined); // it is fast again
});

Deno.test("LogSync says what the disk says, at once and by a thread", async () => {
  const fault = new Error("Input/output error");
  let nowMs = 0;
  const file = {
    syncDataSync: () => void (nowMs += 2),
    syncData: () => Promise.reject(fault),
  };
  const sync = new LogSync(file, () => nowMs);
  assert.equal(sync.sync(), undefined);
  await assert.rejects(sync.sync() ?? Promise.resolve(), fault);
  const broken = new LogSync({
    ...file,
    syncDataSync: () => {
      throw fault;
    },
  });
  assert.throws(() => broken.sync(), fault);
});
