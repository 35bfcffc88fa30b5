import assert from "node:assert/strict";
import { JournalError } from "../../../actors/journal/journal.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { type JournalRows, NO_ROWS } from "../../../actors/journal/memory_store.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import { testJournalContract } from "../../contract/journal_contract.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { settle } from "../../support/until.ts";
import { aLine, anInbound, anOutbound, BEGIN, SESSION } from "./fixtures.ts";

testJournalContract("MemoryJournal", (clock) => {
  let last: MemoryJournal | undefined;
  return {
    open: () => {
      const rows: JournalRows | undefined = last?.rows();
      last = new MemoryJournal({ clock, defer: nextTurn, ...(rows && { rows }) });
      return last;
    },
    [Symbol.dispose]: () => {},
  };
});

/** A journal whose event loop turns when the test says so. */
function crashable(
  rows: JournalRows | undefined,
  onCommit?: (phase: "before" | "after") => void,
): { readonly journal: MemoryJournal; readonly turn: () => Promise<void> } {
  const callbacks: (() => void)[] = [];
  const journal = new MemoryJournal({
    clock: new ManualClock(),
    defer: (callback) => void callbacks.push(callback),
    ...(rows && { rows }),
    ...(onCommit && { onCommit }),
  });
  return {
    journal,
    turn: async () => {
      for (const callback of callbacks.splice(0)) callback();
      await settle();
    },
  };
}

/** Where a promise stands, once all is settled. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  const waiting = settle().then(() => "waiting");
  return await Promise.race([promise.then(() => "resolved", () => "rejected"), waiting]);
}

Deno.test("MemoryJournal loses what waits for its commit when it crashes", async () => {
  const { journal, turn } = crashable(undefined);
  const kept = journal.accept(anInbound());
  await turn();
  assert.equal((await kept).state, "accepted");
  const lost = journal.accept(anInbound({ platformId: "om_2" }));
  const rows = journal.crash();
  await turn();
  assert.equal(await stateOf(lost), "waiting");
  assert.deepEqual(rows.inbounds.map(({ platformId }) => platformId), ["om_1"]);
  assert.equal(await stateOf(journal.counts()), "waiting");
});

Deno.test.each(
  [
    ["process", []],
    ["power", [aLine(0), aLine(1)]],
  ] as const,
)("MemoryJournal brings dropped lines back only after a power cut: %s", async (what, expected) => {
  const { journal, turn } = crashable(undefined);
  for (const line of [0, 1]) {
    const committed = journal.commit({ lines: [aLine(line)] });
    await turn();
    await committed;
  }
  for (const line of [0, 1]) {
    const dropped = journal.dropLines([aLine(line)]);
    await turn();
    await dropped;
  }
  assert.deepEqual(journal.crash(what).lines, expected);
});

Deno.test("MemoryJournal does not bring back what a later commit synced", async () => {
  const { journal, turn } = crashable(undefined);
  for (
    const call of [
      () => journal.commit({ lines: [aLine(0)] }),
      () => journal.dropLines([aLine(0)]),
      () => journal.accept(anInbound()),
    ]
  ) {
    const done = call();
    await turn();
    await done;
  }
  assert.deepEqual(journal.crash("power").lines, []);
});

Deno.test("MemoryJournal goes on from what was durable at a crash", async () => {
  const before = crashable(undefined);
  const { journal } = before;
  const answers = Promise.all([
    journal.accept(anInbound()),
    journal.commit({
      ...BEGIN,
      lines: [aLine(0)],
      inbounds: [{ seq: 1, state: "running", turnId: "t1" }],
      outbounds: [anOutbound({ state: "open" })],
    }),
  ]);
  await before.turn();
  await answers;
  const after = crashable(journal.crash());
  assert.deepEqual((await after.journal.interrupted(SESSION))?.turn.attempts, 1);
  assert.deepEqual(await after.journal.unfiledLines(SESSION), [aLine(0)]);
  assert.equal((await after.journal.outbound("t1:0"))?.state, "open");
  const taken = after.journal.accept(anInbound({ platformId: "om_2" }));
  await after.turn();
  const outcome = await taken;
  assert.equal(outcome.state === "accepted" && outcome.inbound.seq, 2);
});

Deno.test("MemoryJournal keeps nothing of a commit before which it crashes", async () => {
  let rows: JournalRows | undefined;
  const { journal, turn } = crashable(undefined, (phase) => {
    if (phase === "before") rows = journal.crash();
  });
  const answers = [journal.accept(anInbound()), journal.commit(BEGIN)];
  await turn();
  assert.deepEqual(await Promise.all(answers.map(stateOf)), ["waiting", "waiting"]);
  assert.deepEqual(rows, NO_ROWS);
  assert.deepEqual(journal.rows(), NO_ROWS);
});

Deno.test("MemoryJournal keeps a commit after which it crashes, and tells nobody", async () => {
  let rows: JournalRows | undefined;
  const { journal, turn } = crashable(undefined, (phase) => {
    if (phase === "after") rows = journal.crash();
  });
  const answers = [journal.accept(anInbound()), journal.commit(BEGIN)];
  await turn();
  assert.deepEqual(await Promise.all(answers.map(stateOf)), ["waiting", "waiting"]);
  assert.equal(rows?.inbounds.length, 1);
  assert.equal(rows?.turns.length, 1);
});

Deno.test("MemoryJournal fails commits while its disk fails, and keeps reading", async () => {
  let isFull = true;
  const { journal, turn } = crashable(undefined, (phase) => {
    if (phase === "before" && isFull) {
      throw new JournalError("journal_full", "Cannot commit: the disk is full");
    }
  });
  const failed = Promise.allSettled([journal.accept(anInbound()), journal.counts()]);
  await turn();
  assert.deepEqual((await failed).map(({ status }) => status), ["rejected", "fulfilled"]);
  isFull = false;
  const taken = journal.accept(anInbound());
  await turn();
  assert.equal((await taken).state, "accepted");
});

Deno.test("MemoryJournal gives all its rows, whatever became of them", async () => {
  const { journal, turn } = crashable(undefined);
  const answers = Promise.all([
    journal.accept(anInbound()),
    journal.commit({ inbounds: [{ seq: 1, state: "done" }], outbounds: [anOutbound()] }),
    journal.commit({ outboundChanges: [{ key: "t1:0", state: "sent" }] }),
  ]);
  await turn();
  await answers;
  const { inbounds, outbounds, lastSeq, lastId } = journal.rows();
  assert.deepEqual(inbounds.map(({ state }) => state), ["done"]);
  assert.deepEqual(outbounds.map(({ state }) => state), ["sent"]);
  assert.deepEqual([lastSeq, lastId], [1, 1]);
});

Deno.test("MemoryJournal gives the very same list of what no commit has changed", async () => {
  const { journal, turn } = crashable(undefined);
  const commit = async (line: number) => {
    const committed = journal.commit({ lines: [aLine(line)] });
    await turn();
    await committed;
    return journal.rows();
  };
  const [first, second] = [await commit(0), await commit(1)];
  assert.equal(second.inbounds, first.inbounds);
  assert.deepEqual(first.lines, [aLine(0)]);
  assert.deepEqual(second.lines, [aLine(0), aLine(1)]);
});
