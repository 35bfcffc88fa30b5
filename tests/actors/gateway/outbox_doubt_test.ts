import assert from "node:assert/strict";
import type { LookUpOutcome } from "../../../channels/host_protocol.ts";
import { BUSY, DOUBT, KEY_MS, OutboxBench, SENT } from "../../support/outbox_bench.ts";
import { newOutbound } from "../../support/outbound.ts";

const DAY_MS = 24 * 3_600_000;
const ABSENT: LookUpOutcome = { state: "looked", found: "absent" };
const ARRIVED: LookUpOutcome = { state: "looked", found: "arrived" };
const CANNOT_TELL: LookUpOutcome = { state: "looked", found: "cannot_tell" };

/** A row whose attempt a crash interrupted, in a new life that begins `laterMs` after it. */
async function afterCrash(laterMs: number, options: { idempotencyMs?: number } = {}) {
  const before = new OutboxBench(options);
  await before.commit(newOutbound({ key: "a" }));
  assert.deepEqual(before.keys(), ["a"]);
  const rows = before.journal.crash("power");
  await before[Symbol.asyncDispose]();
  await before.clock.advance(laterMs);
  const after = new OutboxBench({ ...options, rows, clock: before.clock });
  await after.settle();
  return after;
}

Deno.test("Outbox repeats a send in doubt under its key while the platform knows that", async () => {
  await using bench = new OutboxBench();
  await bench.commit(newOutbound({ key: "a" }));
  await bench.attempt(0).settle(DOUBT);
  await bench.nextTimer();
  assert.deepEqual(bench.keys(), ["a", "a"]);
  assert.equal(bench.attempt(1).delivery.notice, undefined);
  assert.equal(bench.lookUps.length, 0);
  await bench.attempt(1).settle(SENT);
  assert.equal((await bench.journal.outbound("a"))?.state, "sent");
});

Deno.test("Outbox looks up what is in doubt when the key is worn out, under state unknown", async () => {
  await using bench = new OutboxBench();
  await bench.commit(newOutbound({ key: "a" }));
  await bench.clock.advance(KEY_MS);
  await bench.attempt(0).settle(DOUBT);
  assert.equal((await bench.journal.outbound("a"))?.state, "unknown");
  assert.deepEqual(bench.lookUps.map(({ delivery }) => delivery.key), ["a"]);
  await bench.lookUp(0).settle(ARRIVED);
  const row = await bench.journal.outbound("a");
  assert.deepEqual([row?.state, row?.doubtSinceMs, row?.mayRepeat], ["sent", null, false]);
  assert.equal(bench.attempts.length, 1);
});

Deno.test("Outbox sends again, unmarked, what a look-up did not find", async () => {
  await using bench = new OutboxBench();
  await bench.commit(newOutbound({ key: "a" }));
  await bench.clock.advance(KEY_MS);
  await bench.attempt(0).settle(DOUBT);
  await bench.lookUp(0).settle(ABSENT);
  assert.deepEqual(bench.keys(), ["a", "a"]);
  assert.equal(bench.attempt(1).delivery.notice, undefined);
  await bench.attempt(1).settle(SENT);
  assert.equal((await bench.journal.outbound("a"))?.state, "sent");
});

Deno.test("Outbox marks what it sends again where nobody can tell, and does so once", async () => {
  await using bench = new OutboxBench({ idempotencyMs: 0 });
  await bench.commit(newOutbound({ key: "a" }));
  await bench.attempt(0).settle(DOUBT);
  assert.equal((await bench.journal.outbound("a"))?.state, "unknown");
  await bench.lookUp(0).settle(CANNOT_TELL);
  assert.match(bench.attempt(1).delivery.notice ?? "", /repetition/);
  await bench.attempt(1).settle(DOUBT);
  await bench.lookUp(1).settle(CANNOT_TELL);
  const row = await bench.journal.outbound("a");
  assert.deepEqual([row?.state, row?.doubtSinceMs, row?.mayRepeat], ["unknown", null, true]);
  assert.equal(bench.attempts.length, 2);
  assert.equal(bench.home.clock.nextDueMs, undefined);
  assert.deepEqual((await bench.journal.stuck(9)).outbounds.map(({ key }) => key), ["a"]);
});

Deno.test("Outbox sends what waits behind a row only after its doubt is resolved", async () => {
  await using bench = new OutboxBench({ idempotencyMs: 0 });
  await bench.commit(newOutbound({ key: "a" }));
  await bench.commit(newOutbound({ key: "b" }));
  await bench.attempt(0).settle(DOUBT);
  assert.deepEqual(bench.keys(), ["a"]);
  await bench.lookUp(0).settle(ARRIVED);
  assert.deepEqual(bench.keys(), ["a", "b"]);
});

Deno.test("Outbox asks again when it could not ask, and gives up after a day", async () => {
  await using bench = new OutboxBench({ idempotencyMs: 0 });
  await bench.commit(newOutbound({ key: "a" }));
  await bench.attempt(0).settle(DOUBT);
  const startMs = bench.clock.now();
  for (let n = 0; (await bench.journal.outbound("a"))?.endedAtMs === null; n++) {
    await bench.lookUp(n).settle(BUSY);
    if (bench.clock.nextDueMs === undefined) break;
    await bench.nextTimer();
  }
  assert.equal((await bench.journal.outbound("a"))?.state, "unknown");
  const tookMs = bench.clock.now() - startMs;
  assert.ok(tookMs >= DAY_MS && tookMs < DAY_MS + 600_000, `${tookMs} ms`);
  assert.equal(bench.attempts.length, 1);
});

Deno.test("Outbox does not let a later failure make it forget an earlier doubt", async () => {
  await using bench = new OutboxBench();
  await bench.commit(newOutbound({ key: "a" }));
  const firstMs = bench.clock.now();
  await bench.attempt(0).settle(DOUBT);
  await bench.nextTimer();
  await bench.attempt(1).settle(BUSY);
  assert.equal((await bench.journal.outbound("a"))?.doubtSinceMs, firstMs);
  await bench.clock.advance(KEY_MS);
  await bench.settle();
  assert.equal(bench.lookUps.length + bench.attempts.length, 3);
});

Deno.test("Outbox has no doubt about what surely failed", async () => {
  await using bench = new OutboxBench({ idempotencyMs: 0 });
  await bench.commit(newOutbound({ key: "a" }));
  await bench.attempt(0).settle(BUSY);
  assert.equal((await bench.journal.outbound("a"))?.doubtSinceMs, null);
  await bench.nextTimer();
  assert.deepEqual(bench.keys(), ["a", "a"]);
  const inFlight = await bench.journal.outbound("a");
  assert.equal(inFlight?.doubtSinceMs, bench.clock.now(), "durable before the platform is called");
  assert.equal(bench.lookUps.length, 0);
});

Deno.test("Outbox repeats under its key what a crash interrupted, soon after", async () => {
  await using bench = await afterCrash(KEY_MS - 60_000);
  assert.deepEqual(bench.keys(), ["a"]);
  assert.equal(bench.lookUps.length, 0);
});

Deno.test("Outbox looks up what a crash interrupted, long after", async () => {
  await using bench = await afterCrash(KEY_MS);
  assert.deepEqual(bench.keys(), []);
  await bench.lookUp(0).settle(ARRIVED);
  assert.equal((await bench.journal.outbound("a"))?.state, "sent");
});

Deno.test("Outbox never repeats blindly what a crash interrupted where there is no key", async () => {
  await using bench = await afterCrash(1, { idempotencyMs: 0 });
  assert.deepEqual(bench.keys(), []);
  await bench.lookUp(0).settle(CANNOT_TELL);
  assert.match(bench.attempt(0).delivery.notice ?? "", /repetition/);
});

Deno.test("Outbox goes on looking up what a second crash interrupted", async () => {
  await using first = await afterCrash(1, { idempotencyMs: 0 });
  assert.equal(first.lookUps.length, 1);
  const rows = first.journal.crash();
  await using second = new OutboxBench({ rows, idempotencyMs: 0 });
  await second.settle();
  assert.equal((await second.journal.outbound("a"))?.state, "unknown");
  await second.lookUp(0).settle(ABSENT);
  assert.deepEqual(second.keys(), ["a"]);
});

Deno.test("Outbox does not doubt what it knows was never tried", async () => {
  await using before = new OutboxBench({ idempotencyMs: 0, isReady: false });
  await before.commit(newOutbound({ key: "a" }));
  await before.commit(newOutbound({ key: "b" }));
  assert.equal((await before.journal.outbound("a"))?.doubtSinceMs, null);
  const rows = before.journal.crash();
  await using after = new OutboxBench({ rows, idempotencyMs: 0 });
  await after.settle();
  assert.deepEqual(after.keys(), ["a"]);
  await after.attempt(0).settle(SENT);
  assert.deepEqual(after.keys(), ["a", "b"]);
  assert.equal(after.lookUps.length, 0);
});

Deno.test("Outbox does not doubt a row that waited behind another one of its chat", async () => {
  await using bench = new OutboxBench({ idempotencyMs: 0 });
  await bench.commit(newOutbound({ key: "a" }));
  await bench.commit(newOutbound({ key: "b" }));
  assert.equal((await bench.journal.outbound("b"))?.doubtSinceMs, null);
  assert.notEqual((await bench.journal.outbound("a"))?.doubtSinceMs, null);
  await bench.attempt(0).settle(SENT);
  assert.deepEqual(bench.keys(), ["a", "b"]);
  assert.notEqual((await bench.journal.outbound("b"))?.doubtSinceMs, null);
});

Deno.test("Outbox leaves no gap between the doubt it clears and the attempt it begins", async () => {
  await using bench = new OutboxBench({ idempotencyMs: 0 });
  await bench.commit(newOutbound({ key: "a" }));
  const [b] = await bench.journal.commit({ outbounds: [newOutbound({ key: "b" })] });
  assert.ok(b);
  // The lane is busy when the row is told, and free before the cleared doubt is durable.
  bench.outbox.tell({ type: "row_committed", row: b });
  await bench.attempt(0).settle(SENT);
  assert.deepEqual(bench.keys(), ["a", "b"]);
  assert.notEqual((await bench.journal.outbound("b"))?.doubtSinceMs, null);
});

Deno.test("Outbox is not confused by hearing twice of a row that is on its way", async () => {
  await using bench = new OutboxBench({ idempotencyMs: 0 });
  const row = await bench.commit(newOutbound({ key: "a" }));
  bench.outbox.tell({ type: "row_committed", row });
  await bench.settle();
  assert.notEqual((await bench.journal.outbound("a"))?.doubtSinceMs, null);
  await bench.attempt(0).settle(SENT);
  bench.outbox.tell({ type: "row_committed", row });
  await bench.settle();
  assert.deepEqual(bench.keys(), ["a"]);
});

Deno.test("Outbox commits nothing of its own before it sends what was just committed", async () => {
  let commits = 0;
  await using bench = new OutboxBench({
    onCommit: (phase) => {
      if (phase === "after") commits++;
    },
  });
  await bench.commit(newOutbound({ key: "a" }));
  assert.deepEqual([bench.keys(), commits], [["a"], 1]);
  await bench.attempt(0).settle(SENT);
  assert.equal(commits, 2);
});

Deno.test("Outbox takes up what a person retries, and lets go of what a person drops", async () => {
  await using bench = new OutboxBench();
  const dropped = await bench.commit(newOutbound({ key: "a" }));
  await bench.attempt(0).settle(BUSY);
  await bench.journal.drop({ kind: "outbound", number: dropped.id });
  bench.outbox.tell({ type: "row_changed", key: "a" });
  await bench.settle();
  await bench.commit(newOutbound({ key: "b" }));
  assert.deepEqual(bench.keys(), ["a", "b"]);
  await bench.attempt(1).settle(SENT);
  await bench.journal.retry({ kind: "outbound", number: dropped.id });
  bench.outbox.tell({ type: "row_changed", key: "a" });
  await bench.settle();
  assert.deepEqual(bench.keys(), ["a", "b", "a"]);
  await bench.attempt(2).settle(SENT);
  assert.equal((await bench.journal.outbound("a"))?.state, "sent");
});

Deno.test("Outbox goes on with a chat whose row was dropped while it was on its way", async () => {
  await using bench = new OutboxBench();
  const dropped = await bench.commit(newOutbound({ key: "a" }));
  await bench.journal.drop({ kind: "outbound", number: dropped.id });
  bench.outbox.tell({ type: "row_changed", key: "a" });
  await bench.commit(newOutbound({ key: "b" }));
  await bench.attempt(0).settle(SENT);
  assert.deepEqual(bench.keys(), ["a", "b"]);
  assert.equal((await bench.journal.outbound("a"))?.state, "failed");
});

Deno.test("Outbox gives a platform time that loses what it seems to have taken, again and again", async () => {
  await using bench = new OutboxBench({ idempotencyMs: 0 });
  await bench.commit(newOutbound({ key: "a" }));
  const startMs = bench.clock.now();
  for (let n = 0; n < 8; n++) {
    if (bench.attempts.length <= n) await bench.nextTimer();
    await bench.attempt(n).settle(DOUBT);
    await bench.lookUp(n).settle(ABSENT);
  }
  assert.equal(bench.attempts.length, 8);
  assert.ok(bench.clock.now() - startMs > 60_000, "the first time at once, then ever later");
});
