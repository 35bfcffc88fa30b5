/**
 * What a journal forgets, and what it never does.
 * @module
 */

import assert from "node:assert/strict";
import type { Journal } from "../../../actors/journal/journal.ts";
import {
  accepted,
  aLine,
  anInbound,
  anOutbound,
  BEGIN,
  END,
  running,
  SESSION,
} from "../../actors/journal/fixtures.ts";
import type { Contract } from "./harness.ts";

const DAY_MS = 24 * 3_600_000;

/** Prunes until nothing is left to prune; gives the number of steps. */
async function pruneAll(
  journal: Journal,
  options: { finishedBeforeMs: number; forgottenBeforeMs: number; rowsMax?: number },
): Promise<number> {
  let steps = 1;
  while (await journal.prune({ rowsMax: 100, ...options })) steps++;
  return steps;
}

/** Pruning. */
export function testRetention(contract: Contract): void {
  contract.test("forgets what ended long ago, by its end, and knows its id for longer", async (world) => {
    const { clock, home, journal } = world;
    await running(journal, { content: "long ago" });
    await clock.advance(5 * DAY_MS);
    await journal.commit({
      ...END,
      inbounds: [{ seq: 1, state: "done" }],
      outbounds: [anOutbound()],
    });
    await journal.commit({ outboundChanges: [{ key: "t1:0", state: "sent" }] });
    const endedAtMs = clock.now();
    await clock.advance(DAY_MS);
    await pruneAll(journal, { finishedBeforeMs: endedAtMs, forgottenBeforeMs: endedAtMs });
    assert.ok(await journal.outbound("t1:0"));
    await pruneAll(journal, { finishedBeforeMs: endedAtMs + 1, forgottenBeforeMs: endedAtMs });
    await journal[Symbol.asyncDispose]();
    await using reopened = home.open();
    const counts = await reopened.counts();
    assert.equal(Object.values(counts.inbounds).reduce((sum, rows) => sum + rows), 0);
    assert.equal(Object.values(counts.outbounds).reduce((sum, rows) => sum + rows), 0);
    assert.equal(await reopened.outbound("t1:0"), null);
    assert.deepEqual(await reopened.accept(anInbound()), { state: "duplicate", seq: 1 });
    assert.equal(await reopened.inboundMemory("feishu", "om_1"), null);
    await reopened.commit({
      inboundMemory: [{ channel: "feishu", platformId: "om_1", channelState: 1 }],
    });
    const late = { finishedBeforeMs: 0, forgottenBeforeMs: endedAtMs + 1 };
    await pruneAll(reopened, late);
    assert.equal((await accepted(reopened)).seq, 2);
  });

  contract.test("never forgets what has not ended", async ({ clock, journal }) => {
    await running(journal);
    await accepted(journal, { platformId: "om_2" });
    await journal.commit({
      lines: [aLine(0)],
      outbounds: [
        anOutbound({ key: "open", state: "open" }),
        anOutbound({ key: "pending" }),
        anOutbound({ key: "unknown" }),
      ],
    });
    await journal.commit({ outboundChanges: [{ key: "unknown", state: "unknown" }] });
    await clock.advance(100 * DAY_MS);
    const nowMs = clock.now();
    await pruneAll(journal, { finishedBeforeMs: nowMs, forgottenBeforeMs: nowMs });
    const { inbounds, outbounds } = await journal.counts();
    assert.deepEqual([inbounds.running, inbounds.accepted], [1, 1]);
    assert.deepEqual([outbounds.open, outbounds.pending, outbounds.unknown], [1, 1, 1]);
    assert.equal((await journal.unfiledLines(SESSION)).length, 1);
  });

  contract.test("keeps what a turn has sent while the turn is open", async ({ clock, journal }) => {
    await journal.commit({ ...BEGIN, outbounds: [anOutbound()] });
    await journal.commit({ outboundChanges: [{ key: "t1:0", state: "sent" }] });
    await clock.advance(DAY_MS);
    const options = { finishedBeforeMs: clock.now(), forgottenBeforeMs: 0 };
    await pruneAll(journal, options);
    assert.ok(await journal.outbound("t1:0"));
    await journal.commit(END);
    await pruneAll(journal, options);
    assert.equal(await journal.outbound("t1:0"), null);
  });

  contract.test("keeps parked messages for a person as long as their ids", async (world) => {
    const { clock, journal } = world;
    await accepted(journal);
    await journal.commit({ inbounds: [{ seq: 1, state: "parked" }] });
    await clock.advance(DAY_MS);
    const nowMs = clock.now();
    await pruneAll(journal, { finishedBeforeMs: nowMs, forgottenBeforeMs: 0 });
    assert.equal((await journal.stuck(9)).inbounds.length, 1);
    await pruneAll(journal, { finishedBeforeMs: nowMs, forgottenBeforeMs: nowMs });
    assert.equal((await journal.stuck(9)).inbounds.length, 0);
  });

  contract.test("forgets a little at a time", async ({ clock, journal }) => {
    for (let n = 1; n <= 25; n++) {
      await accepted(journal, { platformId: `om_${n}` });
      await journal.commit({
        inbounds: [{ seq: n, state: "done" }],
        outbounds: [anOutbound({ key: `t:${n}` })],
        outboundChanges: [],
      });
      await journal.commit({ outboundChanges: [{ key: `t:${n}`, state: "sent" }] });
    }
    await clock.advance(DAY_MS);
    const options = { finishedBeforeMs: clock.now(), forgottenBeforeMs: 0, rowsMax: 10 };
    assert.equal(await journal.prune(options), true);
    const { inbounds, outbounds } = await journal.counts();
    assert.deepEqual([inbounds.done, outbounds.sent], [15, 15]);
    assert.equal(await pruneAll(journal, options), 2);
    assert.equal((await journal.counts()).inbounds.done, 0);
  });
}
