/**
 * When a journal's calls take effect.
 * @module
 */

import assert from "node:assert/strict";
import type { Step } from "../../../actors/journal/journal.ts";
import {
  accepted,
  aLine,
  anInbound,
  anOutbound,
  BEGIN,
  SESSION,
} from "../../actors/journal/fixtures.ts";
import { BROKEN, type Contract } from "./harness.ts";

/** Calls that are made at once. */
export function testGroups(contract: Contract): void {
  contract.test("fails one call of a group without touching the others", async ({ journal }) => {
    const outcomes = await Promise.allSettled([
      journal.accept(anInbound()),
      journal.commit({ ...BEGIN, lines: [aLine(0)] }),
      journal.commit({ lines: [aLine(1)], inbounds: [{ seq: 77, state: "done" }] }),
      journal.commit({ lines: [aLine(1)], inbounds: [{ seq: 1, state: "done" }] }),
      journal.accept(anInbound({ platformId: "om_2" })),
      journal.unfiledLines(SESSION),
    ]);
    assert.deepEqual(outcomes.map(({ status }) => status), [
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
      "fulfilled",
    ]);
    assert.deepEqual((await journal.unfiledLines(SESSION)).map(({ line }) => line), [0, 1]);
    assert.equal((await journal.waiting(SESSION, 0, 9))[0]?.seq, 2);
  });

  contract.test("answers reads with all that was called before them", async ({ journal }) => {
    const writing = journal.accept(anInbound());
    const first = journal.waiting(SESSION, 0, 9);
    const more = journal.accept(anInbound({ platformId: "om_2" }));
    const second = journal.waiting(SESSION, 0, 9);
    assert.equal((await first).length, 1);
    assert.equal((await second).length, 2);
    await Promise.all([writing, more]);
  });

  contract.test("answers in the order of the calls", async ({ journal }) => {
    const order: string[] = [];
    await Promise.all([
      journal.accept(anInbound()).then(() => order.push("accept")),
      journal.counts().then(() => order.push("counts")),
      journal.commit(BEGIN).then(() => order.push("commit")),
      journal.dropLines([]).then(() => order.push("drop")),
    ]);
    assert.deepEqual(order, ["accept", "counts", "commit", "drop"]);
  });

  contract.test("commits a step as a whole or not at all", async ({ home, journal }) => {
    const { seq } = await accepted(journal);
    const step: Step = {
      ...BEGIN,
      lines: [aLine(0)],
      inbounds: [{ seq, state: "running", turnId: "t1" }],
      outbounds: [anOutbound()],
      inboundMemory: [{ channel: "feishu", platformId: "om_1", channelState: 1 }],
      outboundChanges: [{ key: "not there", state: "sent" }],
    };
    await assert.rejects(journal.commit(step), BROKEN);
    await journal[Symbol.asyncDispose]();
    await using reopened = home.open();
    assert.equal(await reopened.interrupted(SESSION), null);
    assert.deepEqual(await reopened.unfiledLines(SESSION), []);
    assert.equal((await reopened.waiting(SESSION, 0, 9)).length, 1);
    assert.equal(await reopened.outbound("t1:0"), null);
    assert.equal(await reopened.inboundMemory("feishu", "om_1"), null);
    const [first] = await reopened.commit({ outbounds: [anOutbound()] });
    assert.equal(first?.id, 1);
  });

  contract.test("commits an empty step", async ({ journal }) => {
    assert.deepEqual(await journal.commit({}), []);
  });
}

/** Opening and closing. */
export function testLife(contract: Contract): void {
  contract.test("commits what waits when it is closed", async ({ home, journal }) => {
    const last = journal.accept(anInbound());
    await journal[Symbol.asyncDispose]();
    assert.equal((await last).state, "accepted");
    await using reopened = home.open();
    assert.equal((await reopened.waiting(SESSION, 0, 9)).length, 1);
  });

  contract.test("refuses all calls once it is closed, and closes once", async ({ journal }) => {
    await journal[Symbol.asyncDispose]();
    await journal[Symbol.asyncDispose]();
    const closed = { code: "journal_closed" };
    await assert.rejects(journal.accept(anInbound()), closed);
    await assert.rejects(journal.commit(BEGIN), closed);
    await assert.rejects(journal.counts(), closed);
    await assert.rejects(journal.waiting(SESSION, 0, 1), closed);
  });

  contract.test("keeps its rows from changes of what was handed in", async ({ journal }) => {
    const context = { list: [1] };
    await accepted(journal, { context });
    context.list.push(2);
    assert.deepEqual((await journal.waiting(SESSION, 0, 1))[0]?.context, { list: [1] });
  });
}
