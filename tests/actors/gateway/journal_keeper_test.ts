import assert from "node:assert/strict";
import { journalKeeperActor } from "../../../actors/gateway/journal_keeper.ts";
import type { AlarmMessage } from "../../../actors/gateway/owner_notices.ts";
import type { NotedTrouble } from "../../../actors/gateway/trouble_note.ts";
import { JournalError } from "../../../actors/journal/journal.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { accepted, anInbound } from "../journal/fixtures.ts";
import { Probe } from "../../support/probe.ts";
import { testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";

const HOUR_MS = 3_600_000;

function setUp(left: NotedTrouble | null = null) {
  const home = testSystem();
  const world = { isDiskFull: false, isUnsynced: false, takesNotes: true, commits: 0, restarts: 0 };
  const alarms = new Probe<AlarmMessage>();
  const notes: NotedTrouble[] = [];
  const journal = new MemoryJournal({
    clock: home.clock,
    defer: queueMicrotask,
    onCommit: (phase) => {
      if (phase === "after") world.commits++;
      else if (world.isDiskFull) {
        throw new JournalError("journal_full", "Cannot commit: the disk is full");
      } else if (world.isUnsynced) {
        throw new JournalError("journal_unsynced", "Cannot commit: the disk failed");
      }
    },
  });
  home.system.spawn(journalKeeperActor({
    journal,
    retention: { finishedDays: 3 / 24, dedupeDays: 6 / 24 },
    alarms,
    restart: () => void world.restarts++,
    note: {
      take: () => Promise.resolve(left),
      leave: (trouble) => {
        notes.push(trouble);
        return world.takesNotes ? Promise.resolve() : Promise.reject(new Error("no space"));
      },
    },
  }));
  return { home, world, alarms, journal, notes };
}

Deno.test("JournalKeeper finds out by itself that the journal works again, and says so", async () => {
  const { home, world, alarms, journal } = setUp();
  await using _ = home;
  await home.clock.advance(20_000);
  assert.equal(world.commits, 0, "it leaves a healthy journal alone");
  world.isDiskFull = true;
  await assert.rejects(accepted(journal), { code: "journal_full" });
  assert.equal(journal.trouble?.code, "journal_full");
  await home.clock.advance(60_000);
  assert.equal(alarms.received.length, 0);
  world.isDiskFull = false;
  await home.clock.advance(11_000);
  await settle();
  assert.equal(journal.trouble, null);
  const [told] = alarms.received;
  assert.match(told?.type === "owners_informed" ? told.text : "", /For 6\d s .*disk is full/);
  await home.clock.advance(60_000);
  assert.equal(alarms.received.length, 1);
});

Deno.test("JournalKeeper has the gateway start again for a journal whose sync failed", async () => {
  const { home, world, journal, notes } = setUp();
  await using _ = home;
  const sinceMs = home.clock.now();
  world.isUnsynced = true;
  await assert.rejects(accepted(journal), { code: "journal_unsynced" });
  await home.clock.advance(4 * 60_000);
  assert.equal(world.restarts, 0, "a disk that fails at once does not have it start for ever");
  await home.clock.advance(61_000);
  assert.equal(world.restarts, 1);
  assert.deepEqual(notes, [{ message: "Cannot commit: the disk failed", sinceMs }]);
  await home.clock.advance(10 * 60_000);
  assert.equal(world.restarts, 1, "it was asked once");
});

Deno.test("JournalKeeper has the gateway start again also where no note of it can be left", async () => {
  const { home, world, journal } = setUp();
  await using _ = home;
  world.isUnsynced = true;
  await assert.rejects(accepted(journal), { code: "journal_unsynced" });
  world.takesNotes = false;
  await home.clock.advance(6 * 60_000);
  assert.equal(world.restarts, 1);
});

Deno.test("JournalKeeper tells owners why the gateway before it started again", async () => {
  const sinceMs = testSystem().clock.now() - 90_000;
  const { home, alarms } = setUp({ message: "Cannot commit: the disk failed", sinceMs });
  await using _ = home;
  await settle();
  const [told] = alarms.received;
  assert.match(told?.type === "owners_informed" ? told.text : "", /For 90 s .*the disk failed/);
});

Deno.test("JournalKeeper tells of trouble that was over before it looked, once", async () => {
  const { home, world, alarms, journal } = setUp();
  await using _ = home;
  for (let n = 1; n <= 3; n++) {
    world.isDiskFull = true;
    await assert.rejects(accepted(journal, { platformId: `om_${n}` }), { code: "journal_full" });
    world.isDiskFull = false;
    await accepted(journal, { platformId: `om_${n}` });
    await home.clock.advance(2_000);
  }
  await home.clock.advance(60_000);
  const texts = alarms.received.map((told) => told.type === "owners_informed" ? told.text : "");
  assert.equal(texts.length, 1);
  assert.match(texts[0] ?? "", /^For 1 s no messages could be accepted .*disk is full/);
});

Deno.test("JournalKeeper forgets old rows in small steps, with pauses", async () => {
  const { home, world, journal } = setUp();
  await using _ = home;
  for (let n = 1; n <= 250; n++) {
    const { seq } = await accepted(journal, { platformId: `om_${n}` });
    await journal.commit({ inbounds: [{ seq, state: "done" }] });
  }
  await home.clock.advance(2 * HOUR_MS);
  assert.equal((await journal.counts()).inbounds.done, 250);
  const before = world.commits;
  await home.clock.advance(2 * HOUR_MS);
  assert.equal((await journal.counts()).inbounds.done, 0);
  assert.ok(world.commits - before >= 3);
  const again = await journal.accept(anInbound());
  assert.equal(again.state, "duplicate");
  await home.clock.advance(4 * HOUR_MS);
  assert.deepEqual(journal.rows().seen, []);
});
