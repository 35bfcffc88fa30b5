/**
 * What a journal does with messages that go out.
 * @module
 */

import assert from "node:assert/strict";
import type { Journal, OutboundState } from "../../../actors/journal/journal.ts";
import { anOutbound } from "../../actors/journal/fixtures.ts";
import { BROKEN, type Contract } from "./harness.ts";

/** Making and changing outbounds. */
export function testOutbounds(contract: Contract): void {
  contract.test("gives the rows that a step made, in order", async ({ clock, home, journal }) => {
    const first = anOutbound({
      key: "t1:2:0",
      media: ["/a.png"],
      context: { thread: "x" },
      preamble: "let me see",
      isPlain: true,
      settles: [{ platformId: "om_1", outcome: "done" }],
    });
    const made = await journal.commit({ outbounds: [first, anOutbound()] });
    const row = {
      ...first,
      id: 1,
      createdAtMs: clock.now(),
      endedAtMs: null,
      attempts: 0,
      firstAttemptMs: null,
      nextAttemptMs: clock.now(),
      doubtSinceMs: clock.now(),
      mayRepeat: false,
      channelState: null,
      receipt: [],
      error: null,
    };
    assert.deepEqual(made[0], row);
    assert.deepEqual(made.map(({ id, key }) => [id, key]), [[1, "t1:2:0"], [2, "t1:0"]]);
    await journal[Symbol.asyncDispose]();
    await using reopened = home.open();
    assert.deepEqual(await reopened.outbound("t1:2:0"), row);
    assert.deepEqual(await reopened.outbox({ channel: "feishu", afterId: 0, limit: 10 }), made);
    assert.equal(await reopened.outbound("t9:0"), null);
  });

  contract.test("completes an open row when its message is given again", async (world) => {
    const { clock, journal } = world;
    const [opened] = await journal.commit({ outbounds: [anOutbound({ state: "open" })] });
    await journal.commit({
      outboundChanges: [{ key: "t1:0", channelState: { card: "c1" }, attempts: 1 }],
    });
    const answer = anOutbound({
      content: "the answer",
      preamble: "thoughts",
      media: ["/x"],
      context: { a: 1 },
      isPlain: true,
      settles: [{ platformId: "om_1", outcome: "done" }],
    });
    const made = await journal.commit({ outbounds: [anOutbound({ key: "t1:1" }), answer] });
    const expected = {
      ...opened,
      ...answer,
      channelState: { card: "c1" },
      attempts: 1,
      doubtSinceMs: clock.now(),
    };
    assert.deepEqual(made[1], expected);
    assert.equal(made[1]?.id, 1);
    assert.deepEqual(await journal.outbound("t1:0"), expected);
  });

  contract.test("keeps a row open that is opened again", async ({ journal }) => {
    await journal.commit({ outbounds: [anOutbound({ state: "open" })] });
    const again = anOutbound({ state: "open", content: "more" });
    const [row] = await journal.commit({ outbounds: [again] });
    assert.deepEqual([row?.id, row?.state, row?.content], [1, "open", "more"]);
    assert.equal((await journal.counts()).outbounds.open, 1);
  });

  contract.test("does not move an open row to another chat", async ({ journal }) => {
    await journal.commit({ outbounds: [anOutbound({ state: "open" })] });
    await assert.rejects(journal.commit({ outbounds: [anOutbound({ chatId: "oc_2" })] }), BROKEN);
    const elsewhere = anOutbound({ channel: "telegram" });
    await assert.rejects(journal.commit({ outbounds: [elsewhere] }), BROKEN);
  });

  contract.test("changes what a change names and nothing else", async ({ journal }) => {
    const [made] = await journal.commit({ outbounds: [anOutbound({ state: "open" })] });
    const changes = {
      content: "longer",
      preamble: "p",
      settles: [{ platformId: "om_1", outcome: "failed" }],
      attempts: 2,
      firstAttemptMs: 1_900_000_000_001,
      nextAttemptMs: 1_900_000_000_002,
      doubtSinceMs: 1_900_000_000_003,
      mayRepeat: true,
      channelState: ["parts", 1],
      receipt: ["om_9", "om_10"],
      error: "busy",
    } as const;
    const expected: Record<string, unknown> = { ...made };
    for (const [name, value] of Object.entries(changes)) {
      await journal.commit({ outboundChanges: [{ key: "t1:0", [name]: value }] });
      expected[name] = value;
      assert.deepEqual(await journal.outbound("t1:0"), expected);
    }
    const nothing = { error: null, channelState: null, doubtSinceMs: null };
    await journal.commit({ outboundChanges: [{ key: "t1:0", ...nothing }] });
    const row = await journal.outbound("t1:0");
    assert.deepEqual([row?.error, row?.channelState, row?.doubtSinceMs], [null, null, null]);
  });

  contract.test("refuses counts and times that are no integers", async ({ journal }) => {
    await journal.commit({ outbounds: [anOutbound()] });
    for (const change of [{ attempts: 0.5 }, { firstAttemptMs: NaN }, { nextAttemptMs: 2 ** 60 }]) {
      const step = { outboundChanges: [{ key: "t1:0", ...change }] };
      await assert.rejects(journal.commit(step), BROKEN);
    }
  });

  contract.test("refuses a change of an outbound that is not there", async ({ journal }) => {
    const step = { outboundChanges: [{ key: "t1:0", attempts: 1 }] };
    await assert.rejects(journal.commit(step), BROKEN);
  });
}

/** The life of an outbound. */
export function testOutboundStates(contract: Contract): void {
  const ways: Readonly<Record<OutboundState, readonly OutboundState[]>> = {
    open: ["open", "pending", "failed", "unknown"],
    pending: ["pending", "sent", "failed", "unknown"],
    sent: ["sent"],
    failed: ["failed"],
    unknown: ["unknown", "pending", "sent", "failed"],
  };
  const states: readonly OutboundState[] = ["open", "pending", "sent", "failed", "unknown"];
  /** Brings a fresh row into `state`. */
  async function bring(journal: Journal, state: OutboundState): Promise<void> {
    const first = state === "open" ? "open" : "pending";
    await journal.commit({ outbounds: [anOutbound({ state: first })] });
    await journal.commit({ outboundChanges: [{ key: "t1:0", state }] });
  }
  for (const from of states) {
    for (const to of states) {
      const isLegal = ways[from].includes(to);
      const verb = isLegal ? "lets" : "does not let";
      contract.test(`${verb} an outbound go from ${from} to ${to}`, async ({ journal }) => {
        await bring(journal, from);
        const change = journal.commit({ outboundChanges: [{ key: "t1:0", state: to }] });
        if (isLegal) await change;
        else await assert.rejects(change, BROKEN);
        const state = isLegal ? to : from;
        assert.equal((await journal.outbound("t1:0"))?.state, state);
        const { outbounds } = await journal.counts();
        assert.equal(outbounds[state], 1);
        assert.equal(Object.values(outbounds).reduce((sum, rows) => sum + rows), 1);
      });
    }
  }

  for (const state of states.filter((state) => state !== "open")) {
    contract.test(`does not make an outbound anew that is ${state}`, async ({ journal }) => {
      await bring(journal, state);
      await assert.rejects(journal.commit({ outbounds: [anOutbound()] }), BROKEN);
      assert.equal((await journal.outbound("t1:0"))?.state, state);
    });
  }

  contract.test("leaves a complete row in doubt from its commit, and an open one not", async (world) => {
    const { clock, journal } = world;
    const [open] = await journal.commit({ outbounds: [anOutbound({ state: "open" })] });
    assert.equal(open?.doubtSinceMs, null);
    await clock.advance(5);
    const [complete] = await journal.commit({ outbounds: [anOutbound()] });
    assert.equal(complete?.doubtSinceMs, clock.now());
    await journal.commit({ outboundChanges: [{ key: "t1:0", doubtSinceMs: null }] });
    assert.equal((await journal.outbound("t1:0"))?.doubtSinceMs, null);
  });

  contract.test("ends an unknown row only when there is nothing left to look up", async (world) => {
    const { clock, journal } = world;
    await bring(journal, "unknown");
    const unsent = async () =>
      (await journal.outbox({ channel: "feishu", afterId: 0, limit: 9 })).map(({ key }) => key);
    assert.deepEqual(await unsent(), ["t1:0"]);
    assert.deepEqual((await journal.stuck(9)).outbounds, []);
    await clock.advance(5);
    await journal.commit({ outboundChanges: [{ key: "t1:0", doubtSinceMs: null }] });
    assert.deepEqual(await unsent(), []);
    const [row] = (await journal.stuck(9)).outbounds;
    assert.deepEqual([row?.key, row?.endedAtMs], ["t1:0", clock.now()]);
  });

  contract.test("leaves no doubt about what was sent or failed, and dates its end", async (world) => {
    const { clock, journal } = world;
    for (const [index, state] of (["sent", "failed"] as const).entries()) {
      const key = `t1:${index}`;
      await journal.commit({ outbounds: [anOutbound({ key })] });
      await clock.advance(5);
      await journal.commit({ outboundChanges: [{ key, state }] });
      const endedAtMs = clock.now();
      await clock.advance(5);
      await journal.commit({ outboundChanges: [{ key, receipt: ["om_1"] }] });
      const row = await journal.outbound(key);
      assert.deepEqual([row?.doubtSinceMs, row?.endedAtMs], [null, endedAtMs]);
    }
  });

  contract.test("keeps the content of an outbound that has ended, not its notes", async (world) => {
    const { journal } = world;
    await bring(journal, "sent");
    const late = { key: "t1:0", channelState: "late", receipt: ["om_5"] };
    await journal.commit({ outboundChanges: [late] });
    assert.deepEqual((await journal.outbound("t1:0"))?.receipt, ["om_5"]);
    const rewrite = { outboundChanges: [{ key: "t1:0", content: "other" }] };
    await assert.rejects(journal.commit(rewrite), BROKEN);
  });
}
