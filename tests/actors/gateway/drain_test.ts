import assert from "node:assert/strict";
import { drain } from "../../../actors/gateway/drain.ts";
import { gateActor } from "../../../actors/gateway/gate.ts";
import { JournalError, type JournalFailure } from "../../../actors/journal/journal.ts";
import type { PermitNews } from "../../../actors/session/ports.ts";
import { anOutbound } from "../journal/fixtures.ts";
import { OutboxBench, SENT } from "../../support/outbox_bench.ts";
import { settle } from "../../support/until.ts";

/** A turn that does not end, and a reply that the platform has still to take. */
async function setUp() {
  const world: { failure: JournalFailure | null } = { failure: null };
  const bench = new OutboxBench({
    onCommit: () => {
      if (world.failure !== null) throw new JournalError(world.failure, "Cannot commit: the disk");
    },
  });
  const { home: { system }, clock, journal: { lost }, outbox } = bench;
  const gate = system.spawn(gateActor(1));
  const turn = system.spawn<PermitNews>({ name: "turn", create: () => ({ receive: () => {} }) });
  gate.tell({ type: "request_permit", requestId: "a", holder: turn });
  await bench.commit(anOutbound());
  const beginning = clock.now();
  let tookMs: number | undefined;
  const lines: string[] = [];
  const core = { gate, outboxes: new Map([["feishu", outbox]]) };
  return {
    bench,
    lines,
    tookMs: () => tookMs,
    /** The journal fails as the reply's end is to be written down. */
    fail: async (failure: JournalFailure) => {
      world.failure = failure;
      await bench.attempt(0).settle(SENT);
    },
    stop: async () => {
      const draining = drain(core, new Map(), { lost, print: (line) => void lines.push(line) });
      void draining.then(() => tookMs = clock.now() - beginning);
      await settle();
    },
  };
}

Deno.test.each(
  ["journal_full", "journal_read_only", "journal_locked", "journal_failed"] as const,
)("A stop gives turns and replies their time where the journal may come back: %s", async (code) => {
  const { bench, fail, stop, tookMs, lines } = await setUp();
  await using _ = bench;
  await fail(code);
  await stop();
  await bench.clock.advance(9_999);
  assert.deepEqual(lines, []);
  await bench.clock.advance(5_000);
  assert.equal(tookMs(), undefined);
  await bench.clock.advance(1);
  assert.equal(tookMs(), 15_000);
});

Deno.test("A stop waits for no turn and no reply where only another start mends the journal", async () => {
  const { bench, fail, stop, tookMs, lines } = await setUp();
  await using _ = bench;
  await fail("journal_unsynced");
  await stop();
  assert.equal(tookMs(), 0);
  assert.deepEqual(lines.slice(0, 2), [
    "  Turns: cut short, they go on at the next start",
    "  Replies: some wait for the next start",
  ]);
});

Deno.test("A stop that is under way waits no longer once only another start mends the journal", async () => {
  const { bench, fail, stop, tookMs } = await setUp();
  await using _ = bench;
  await stop();
  await bench.clock.advance(3_000);
  assert.equal(tookMs(), undefined);
  await fail("journal_unsynced");
  assert.equal(tookMs(), 3_000);
});
