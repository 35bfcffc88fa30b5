/**
 * What a journal lets people do about rows that do not get on, and what it notes.
 * @module
 */

import assert from "node:assert/strict";
import type { InboundState, Journal, OutboundState } from "../../../actors/journal/journal.ts";
import {
  accepted,
  anOutbound,
  BEGIN,
  END,
  running,
  SESSION,
} from "../../actors/journal/fixtures.ts";
import type { Contract } from "./harness.ts";

/** Retrying, dropping, notes. */
export function testActs(contract: Contract): void {
  testStuckInbounds(contract);
  testStuckOutbounds(contract);

  contract.test("finds notes by what their keys begin with", async ({ journal }) => {
    const found = ["ended:cli:direct", "ended:a\0b", "ended:\ud800", "ended:", "ended:\u{10ffff}x"];
    const others = ["ended", "ended;", "Ended:x", '"ended:x"', '"ended:', "x:ended:y", "ended/x"];
    const notes = [...found, ...others].map((key) => ({ key, value: true }));
    await journal.commit({ notes });
    await journal.commit({ notes: [{ key: "ended:gone", value: 1 }] });
    await journal.commit({ notes: [{ key: "ended:gone", value: null }] });
    assert.deepEqual((await journal.noteKeys("ended:")).toSorted(), found.toSorted());
    assert.deepEqual(await journal.noteKeys("none:"), []);
  });

  contract.test("keeps notes until they are forgotten", async ({ home, journal }) => {
    assert.equal(await journal.note("restart"), null);
    await journal.commit({ notes: [{ key: "restart", value: { chat: "oc_1\0" } }] });
    await journal.commit({ notes: [{ key: "other", value: 1 }, { key: "restart", value: [2] }] });
    await journal[Symbol.asyncDispose]();
    await using reopened = home.open();
    assert.deepEqual(await reopened.note("restart"), [2]);
    await reopened.commit({ notes: [{ key: "restart", value: null }] });
    assert.equal(await reopened.note("restart"), null);
    assert.equal(await reopened.note("other"), 1);
  });

  contract.test("syncs on request", async ({ journal }) => {
    await journal.sync();
    await journal.sync();
    assert.equal(journal.trouble, null);
  });
}

function testStuckInbounds(contract: Contract): void {
  async function bring(journal: Journal, state: InboundState): Promise<number> {
    const { seq } = await running(journal);
    if (state === "running") return seq;
    if (state === "accepted") return (await accepted(journal, { platformId: "om_2" })).seq;
    await journal.commit({ ...END, inbounds: [{ seq, state }] });
    return seq;
  }
  const after: Readonly<
    Record<
      InboundState,
      { readonly retry: InboundState | null; readonly drop: InboundState | null }
    >
  > = {
    accepted: { retry: null, drop: "stopped" },
    running: { retry: null, drop: null },
    done: { retry: null, drop: null },
    failed: { retry: "accepted", drop: "stopped" },
    stopped: { retry: null, drop: null },
    parked: { retry: "accepted", drop: "stopped" },
  };
  for (const state of Object.keys(after) as InboundState[]) {
    for (const act of ["retry", "drop"] as const) {
      const expected = after[state][act];
      contract.test(`${act === "retry" ? "retries" : "drops"} a ${state} message: ${expected ?? "nothing happens"}`, async ({ clock, journal }) => {
        const seq = await bring(journal, state);
        await clock.advance(10);
        const acted = await journal[act]({ kind: "inbound", number: seq });
        if (expected === null) return assert.equal(acted, null);
        assert.ok(acted?.kind === "inbound");
        assert.deepEqual(
          [acted.row.state, acted.row.endedAtMs, acted.row.content],
          [expected, expected === "accepted" ? null : clock.now(), "hello"],
        );
        const { inbounds } = await journal.counts();
        assert.ok(inbounds[expected] > 0);
        const waits = (await journal.waiting(SESSION, 0, 9)).some((it) => it.seq === seq);
        assert.equal(waits, expected === "accepted");
      });
    }
  }

  contract.test("runs a message that was retried in another turn", async ({ journal }) => {
    const { seq } = await running(journal);
    await journal.commit({ ...END, inbounds: [{ seq, state: "parked" }] });
    assert.deepEqual((await journal.stuck(9)).inbounds.map((it) => it.seq), [seq]);
    await journal.retry({ kind: "inbound", number: seq });
    assert.deepEqual((await journal.stuck(9)).inbounds, []);
    await journal.commit({
      ...BEGIN,
      inbounds: [{ seq, state: "running", turnId: "t1" }],
    });
    assert.deepEqual((await journal.interrupted(SESSION))?.inbounds.map((it) => it.seq), [seq]);
  });

  contract.test("cannot act on rows that are not there", async ({ journal }) => {
    for (const kind of ["inbound", "outbound"] as const) {
      assert.equal(await journal.retry({ kind, number: 9 }), null);
      assert.equal(await journal.drop({ kind, number: 9 }), null);
    }
  });
}

function testStuckOutbounds(contract: Contract): void {
  const states: readonly OutboundState[] = ["open", "pending", "sent", "failed", "unknown"];
  async function bring(journal: Journal, state: OutboundState): Promise<number> {
    const first = state === "open" ? "open" : "pending";
    const [row] = await journal.commit({ outbounds: [anOutbound({ state: first })] });
    await journal.commit({
      outboundChanges: [{
        key: "t1:0",
        state,
        attempts: 3,
        firstAttemptMs: 5,
        channelState: { sent: ["om_1"] },
        error: "no such chat",
      }],
    });
    return row?.id ?? 0;
  }
  for (const state of states) {
    const isStuck = state === "failed" || state === "unknown";
    const what = isStuck ? "retries" : "does not retry";
    contract.test(`${what} an outbound that is ${state}`, async ({ clock, journal }) => {
      const number = await bring(journal, state);
      await clock.advance(10);
      const acted = await journal.retry({ kind: "outbound", number });
      if (!isStuck) return assert.equal(acted, null);
      const row = await journal.outbound("t1:0");
      assert.deepEqual(acted, { kind: "outbound", row });
      assert.deepEqual(
        [row?.state, row?.attempts, row?.firstAttemptMs, row?.nextAttemptMs, row?.doubtSinceMs],
        ["pending", 0, null, clock.now(), null],
      );
      assert.deepEqual([row?.error, row?.endedAtMs], [null, null]);
      assert.deepEqual(row?.channelState, { sent: ["om_1"] });
      assert.equal(row?.mayRepeat, state === "unknown");
      const unsent = await journal.outbox({ channel: "feishu", afterId: 0, limit: 9 });
      assert.deepEqual(unsent, [row]);
    });

    const isOpen = state === "pending" || state === "unknown";
    contract.test(`${isOpen ? "drops" : "does not drop"} an outbound that is ${state}`, async (world) => {
      const { journal } = world;
      const number = await bring(journal, state);
      const acted = await journal.drop({ kind: "outbound", number });
      if (!isOpen) return assert.equal(acted, null);
      const row = await journal.outbound("t1:0");
      assert.deepEqual([row?.state, row?.doubtSinceMs, row?.error], [
        "failed",
        null,
        "no such chat",
      ]);
      assert.deepEqual(await journal.outbox({ channel: "feishu", afterId: 0, limit: 9 }), []);
    });
  }
}
