import assert from "node:assert/strict";
import { MemoryJournal } from "../../actors/journal/memory_journal.ts";
import { encodePending, pendingNote } from "../../actors/session/archived_chunk.ts";
import { accepted, aLine, BEGIN, END, SESSION } from "../actors/journal/fixtures.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { EventLog } from "./event_log.ts";
import { JournalWatch } from "./journal_watch.ts";

/** A journal whose every commit is watched. */
function watched(): { readonly journal: MemoryJournal; readonly watch: JournalWatch } {
  const clock = new ManualClock();
  const watch = new JournalWatch({ clock, log: new EventLog(clock), retention: undefined });
  const journal: MemoryJournal = new MemoryJournal({
    clock,
    defer: queueMicrotask,
    onCommit: (phase) => phase === "after" && watch.observe(journal.rows()),
  });
  return { journal, watch };
}

/** The note that the messages from one index up to another are summed up. */
function summedUp(from: number, to: number) {
  const value = encodePending({ from, to, chunk: "c", entries: [], summary: null, untilMs: null });
  return { notes: [{ key: pendingNote(SESSION), value }] };
}

Deno.test("JournalWatch notices that an open turn is summed up", async () => {
  const { journal, watch } = watched();
  await journal.commit({ ...BEGIN, lines: [aLine(0), aLine(1)] });
  await journal.commit(END);
  await journal.commit({
    turn: { turnId: "t2", sessionKey: SESSION, change: "begin" },
    lines: [aLine(0, { turnId: "t2" }), aLine(1, { turnId: "t2" })],
  });
  await journal.commit(summedUp(0, 2));
  assert.deepEqual(watch.breaches, []);
  await journal.commit(summedUp(2, 3));
  assert.deepEqual(watch.breaches, ["turn t2 is summed up while it goes on"]);
});

Deno.test("JournalWatch knows when a result joins a turn behind younger words", async () => {
  const { journal, watch } = watched();
  const result = await accepted(journal, { platformId: "om_1" });
  const words = await accepted(journal, { platformId: "om_2" });
  const [own, late] = [words, result].map(({ seq }, turnLine) => ({
    inbounds: [{ seq, state: "running" as const, turnId: "t1", turnLine }],
  }));
  await journal.commit({ ...BEGIN, ...own });
  assert.equal(watch.hasLateResult, false);
  await journal.commit({ ...late });
  assert.equal(watch.hasLateResult, true);
  await journal.commit(summedUp(0, 0));
  assert.equal(watch.hasLateResult, false);
});
