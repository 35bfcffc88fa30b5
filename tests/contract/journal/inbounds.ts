/**
 * What a journal does with messages that come in.
 * @module
 */

import assert from "node:assert/strict";
import { type InboundState, type Step, SYSTEM_CHANNEL } from "../../../actors/journal/journal.ts";
import {
  accepted,
  anInbound,
  BEGIN,
  END,
  running,
  SESSION,
} from "../../actors/journal/fixtures.ts";
import { BROKEN, type Contract } from "./harness.ts";

/** Taking messages in. */
export function testAccepting(contract: Contract): void {
  contract.test("gives what it took in, in order of acceptance", async ({ clock, journal }) => {
    const message = anInbound({
      media: ["/a.png", "/b.png"],
      context: { root: null, deep: { list: [1, -2.5, true, "x"] } },
      wantsStream: true,
    });
    const first = await journal.accept(message);
    const second = await accepted(journal, { platformId: "om_2" });
    const row = {
      ...message,
      seq: 1,
      acceptedAtMs: clock.now(),
      replyChannel: "feishu",
      state: "accepted",
      turnId: null,
      turnLine: null,
      endedAtMs: null,
      channelState: null,
      draft: null,
    };
    assert.deepEqual(first, { state: "accepted", inbound: row });
    assert.equal(second.seq, 2);
    assert.deepEqual(await journal.waiting(SESSION, 0, 10), [row, second]);
  });

  contract.test("gives what runs in the order in which it joined its turn", async ({ journal }) => {
    const seqs: number[] = [];
    for (const platformId of ["om_1", "om_2", "om_3"]) {
      seqs.push((await accepted(journal, { platformId })).seq);
    }
    for (const [turnLine, platformId] of ["om_3", "om_1", "om_2"].entries()) {
      const seq = seqs[Number(platformId.at(-1)) - 1] ?? 0;
      await journal.commit({
        turn: { turnId: "t1", sessionKey: SESSION, change: turnLine === 0 ? "begin" : "progress" },
        inbounds: [{ seq, state: "running", turnId: "t1", turnLine }],
      });
    }
    const found = await journal.interrupted(SESSION);
    const order = found?.inbounds.map(({ platformId, turnLine }) => [platformId, turnLine]);
    assert.deepEqual(order, [["om_3", 0], ["om_1", 1], ["om_2", 2]]);
  });

  contract.test("takes a message in once when it comes twice at once", async ({ journal }) => {
    const taken = await Promise.all([journal.accept(anInbound()), journal.accept(anInbound())]);
    assert.deepEqual(taken.map(({ state }) => state), ["accepted", "duplicate"]);
    assert.deepEqual(taken[1], { state: "duplicate", seq: 1 });
    assert.equal((await journal.waiting(SESSION, 0, 10)).length, 1);
  });

  contract.test("knows a duplicate by its first chat's row, whatever it says", async (world) => {
    await accepted(world.journal);
    const again = anInbound({ sessionKey: "unified:default", content: "edited" });
    assert.deepEqual(await world.journal.accept(again), { state: "duplicate", seq: 1 });
  });

  contract.test("takes in what comes from inside, once, with the place of its answer", async (world) => {
    const { home, journal } = world;
    const due = anInbound({ channel: SYSTEM_CHANNEL, platformId: "cron:job1:1700000000000" });
    const toChat = { ...due, replyChannel: "feishu" };
    const first = await accepted(journal, toChat);
    assert.deepEqual([first.channel, first.replyChannel], ["system", "feishu"]);
    assert.deepEqual(await journal.accept(toChat), { state: "duplicate", seq: first.seq });
    const silent = await accepted(journal, { ...due, platformId: "heartbeat:1700000000000" });
    assert.equal(silent.replyChannel, null);
    const stored = await accepted(journal, { platformId: "om_7", replyChannel: null });
    assert.equal(stored.replyChannel, null);
    await journal[Symbol.asyncDispose]();
    await using reopened = home.open();
    assert.deepEqual(await reopened.waiting(SESSION, 0, 9), [first, silent, stored]);
  });

  contract.test("tells channels with the same ids apart", async ({ journal }) => {
    await accepted(journal, { channel: "feishu" });
    const other = await accepted(journal, { channel: "telegram" });
    assert.equal(other.seq, 2);
  });

  for (const state of ["accepted", "running", "done", "failed", "stopped", "parked"] as const) {
    contract.test(`knows a duplicate of a message that is ${state}, after a restart too`, async ({ home, journal }) => {
      const { seq } = await accepted(journal);
      if (state === "running") {
        await journal.commit({ ...BEGIN, inbounds: [{ seq, state, turnId: "t1" }] });
      } else if (state !== "accepted") {
        await journal.commit({ inbounds: [{ seq, state }] });
      }
      assert.deepEqual(await journal.accept(anInbound()), { state: "duplicate", seq });
      await journal[Symbol.asyncDispose]();
      await using reopened = home.open();
      assert.deepEqual(await reopened.accept(anInbound()), { state: "duplicate", seq });
      assert.equal((await accepted(reopened, { platformId: "om_2" })).seq, seq + 1);
    });
  }

  contract.test("keeps the order of a burst", async ({ journal }) => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `om_${index}`);
    await Promise.all(ids.map((platformId) => journal.accept(anInbound({ platformId }))));
    const waiting = await journal.waiting(SESSION, 0, 2_000);
    assert.deepEqual(waiting.map(({ platformId }) => platformId), ids);
    assert.deepEqual(waiting.map(({ seq }) => seq), ids.map((_, index) => index + 1));
  });

  contract.test("remembers for a channel what belongs to a message", async (world) => {
    const { home, journal } = world;
    const memory = { channel: "feishu", platformId: "om_1", channelState: { reaction: "r1" } };
    assert.equal(await journal.inboundMemory("feishu", "om_1"), null);
    await journal.commit({ inboundMemory: [memory] });
    assert.equal(await journal.inboundMemory("feishu", "om_1"), null);
    const { seq } = await accepted(journal);
    assert.equal(await journal.inboundMemory("feishu", "om_1"), null);
    await journal.commit({ inboundMemory: [memory], inbounds: [{ seq, state: "done" }] });
    await journal[Symbol.asyncDispose]();
    await using reopened = home.open();
    assert.deepEqual(await reopened.inboundMemory("feishu", "om_1"), { reaction: "r1" });
    assert.equal(await reopened.inboundMemory("telegram", "om_1"), null);
  });
}

/** The life of a message. */
export function testInboundStates(contract: Contract): void {
  const states: readonly InboundState[] = [
    "accepted",
    "running",
    "done",
    "failed",
    "stopped",
    "parked",
  ];
  for (const from of states) {
    for (const to of states) {
      const isLegal = from === to || from === "accepted" ||
        (from === "running" && to !== "accepted");
      const verb = isLegal ? "lets" : "does not let";
      contract.test(`${verb} a message go from ${from} to ${to}`, async ({ journal }) => {
        const { seq } = await accepted(journal);
        await journal.commit(BEGIN);
        await journal.commit({ inbounds: [{ seq, state: from, turnId: "t1" }] });
        const change = journal.commit({ inbounds: [{ seq, state: to }] });
        if (isLegal) await change;
        else await assert.rejects(change, BROKEN);
        const { inbounds } = await journal.counts();
        assert.equal(inbounds[isLegal ? to : from], 1);
        assert.equal(Object.values(inbounds).reduce((sum, rows) => sum + rows), 1);
      });
    }
  }

  const wrong: readonly (readonly [name: string, change: NonNullable<Step["inbounds"]>[0]])[] = [
    ["a message that is not there", { seq: 99, state: "done" }],
    ["a running message without a turn", { seq: 1, state: "running" }],
    ["a message in a turn that is not open", { seq: 1, state: "running", turnId: "t9" }],
    ["a message in a turn of another session", { seq: 2, state: "running", turnId: "t1" }],
  ];
  for (const [name, change] of wrong) {
    contract.test(`refuses ${name}`, async ({ journal }) => {
      await accepted(journal);
      await accepted(journal, { platformId: "om_2", sessionKey: "other" });
      await journal.commit(BEGIN);
      await assert.rejects(journal.commit({ inbounds: [change] }), BROKEN);
      assert.equal((await journal.counts()).inbounds.accepted, 2);
    });
  }

  contract.test("keeps the turn of a message that has ended", async ({ journal }) => {
    const { seq } = await running(journal);
    await journal.commit({ ...END, inbounds: [{ seq, state: "done" }] });
    await journal.commit({ inbounds: [{ seq, state: "done", turnId: "t2" }] });
    assert.equal((await journal.counts()).inbounds.done, 1);
  });
}
