/**
 * What a journal does with turns and their lines.
 * @module
 */

import assert from "node:assert/strict";
import type { Step, TurnChange } from "../../../actors/journal/journal.ts";
import {
  accepted,
  aLine,
  anOutbound,
  BEGIN,
  END,
  running,
  SESSION,
} from "../../actors/journal/fixtures.ts";
import { BROKEN, type Contract } from "./harness.ts";

/** Turns and their attempts. */
export function testTurns(contract: Contract): void {
  contract.test("finds an interrupted turn with its running messages", async (world) => {
    const { home, journal } = world;
    await running(journal);
    const second = await accepted(journal, { platformId: "om_2" });
    await accepted(journal, { platformId: "om_3" });
    await journal.commit({
      turn: { turnId: "t1", sessionKey: SESSION, change: "progress" },
      lines: [aLine(0), aLine(1)],
      inbounds: [{ seq: second.seq, state: "running", turnId: "t1" }],
    });
    await journal[Symbol.asyncDispose]();
    await using reopened = home.open();
    const found = await reopened.interrupted(SESSION);
    assert.deepEqual(found?.turn, {
      turnId: "t1",
      sessionKey: SESSION,
      attempts: 1,
      lines: 2,
      soloSeq: null,
    });
    assert.deepEqual(found?.inbounds.map(({ seq, state, turnId }) => [seq, state, turnId]), [
      [1, "running", "t1"],
      [2, "running", "t1"],
    ]);
    assert.equal(await reopened.interrupted("other"), null);
  });

  contract.test("counts attempts and lines over all attempts of a turn", async ({ journal }) => {
    await journal.commit({ ...BEGIN, lines: [aLine(0)] });
    await journal.commit({ ...BEGIN, lines: [aLine(1), aLine(2)] });
    await journal.commit({ lines: [aLine(0, { sessionKey: "other" }), aLine(3)] });
    await journal.dropLines([aLine(3)]);
    assert.deepEqual((await journal.interrupted(SESSION))?.turn, {
      turnId: "t1",
      sessionKey: SESSION,
      attempts: 2,
      lines: 4,
      soloSeq: null,
    });
  });

  contract.test("counts attempts since a turn got further, without those that ended well", async (world) => {
    const { home, journal } = world;
    const change = (change: TurnChange["change"], soloSeq?: number): Step => ({
      turn: {
        turnId: "t1",
        sessionKey: SESSION,
        change,
        ...(soloSeq !== undefined && { soloSeq }),
      },
    });
    const attempts = async () => (await journal.interrupted(SESSION))?.turn.attempts;
    for (
      const [step, expected] of [
        [change("begin"), 1],
        [change("begin"), 2],
        [change("progress"), 2],
        [change("rest"), 1],
        [change("begin"), 2],
        [change("advance"), 0],
        [change("rest"), 0],
        [change("begin"), 1],
        [change("begin", 7), 2],
      ] as const
    ) {
      await journal.commit(step);
      assert.equal(await attempts(), expected, JSON.stringify(step));
    }
    await journal[Symbol.asyncDispose]();
    await using reopened = home.open();
    assert.equal((await reopened.interrupted(SESSION))?.turn.soloSeq, 7);
    await reopened.commit(change("advance"));
    assert.equal((await reopened.interrupted(SESSION))?.turn.soloSeq, 7);
    await reopened.commit(change("begin"));
    assert.equal((await reopened.interrupted(SESSION))?.turn.soloSeq, null);
  });

  contract.test("forgets a turn at its end, which may write lines and settle", async (world) => {
    const { journal } = world;
    const { seq } = await running(journal);
    await journal.commit({ ...END, lines: [aLine(0)], inbounds: [{ seq, state: "done" }] });
    assert.equal(await journal.interrupted(SESSION), null);
    assert.equal((await journal.unfiledLines(SESSION)).length, 1);
    await journal.commit({ turn: { turnId: "t2", sessionKey: SESSION, change: "begin" } });
    assert.equal((await journal.interrupted(SESSION))?.turn.turnId, "t2");
  });

  const turn = (change: TurnChange["change"], turnId = "t1", sessionKey = SESSION) => ({
    turn: { turnId, sessionKey, change },
  });
  const wrong: readonly (readonly [name: string, before: readonly Step[], step: Step])[] = [
    ["progress of a turn that was not begun", [], turn("progress")],
    ["the end of a turn that was not begun", [], turn("end")],
    ["the rest of a turn that was not begun", [], turn("rest")],
    ["a second open turn of a session", [BEGIN], turn("begin", "t2")],
    ["a turn that moves to another session", [BEGIN], turn("progress", "t1", "other")],
    ["a gap in the lines of a turn", [BEGIN], { lines: [aLine(1)] }],
    ["a line that the turn has written", [{ ...BEGIN, lines: [aLine(0)] }], { lines: [aLine(0)] }],
    ["a line of an open turn in another session", [BEGIN], {
      ...turn("progress"),
      lines: [aLine(0, { sessionKey: "other" })],
    }],
    ["a line without a number", [], { lines: [aLine(NaN, { turnId: "gone" })] }],
    ["a line twice without a turn", [], { lines: [aLine(7), aLine(7)] }],
  ];
  for (const [name, before, step] of wrong) {
    contract.test(`refuses ${name}, and keeps nothing of the step`, async ({ journal }) => {
      for (const earlier of before) await journal.commit(earlier);
      const lines = await journal.unfiledLines(SESSION);
      const found = await journal.interrupted(SESSION);
      await assert.rejects(journal.commit({ ...step, outbounds: [anOutbound()] }), BROKEN);
      assert.deepEqual(await journal.unfiledLines(SESSION), lines);
      assert.deepEqual(await journal.interrupted(SESSION), found);
      assert.equal(await journal.outbound("t1:0"), null);
    });
  }

  contract.test("does not end a turn in which a message still runs", async ({ journal }) => {
    const { seq } = await running(journal);
    await assert.rejects(journal.commit(END), BROKEN);
    assert.deepEqual((await journal.interrupted(SESSION))?.inbounds.map((it) => it.seq), [seq]);
  });
}

/** Lines on their way to a file. */
export function testLines(contract: Contract): void {
  contract.test("gives unfiled lines as they were written, until they are dropped", async ({ home, journal }) => {
    const { seq } = await accepted(journal);
    const lines = [aLine(0, { inboundSeq: seq }), aLine(1)];
    await journal.commit({ ...BEGIN, lines });
    await journal.commit({ lines: [aLine(0, { turnId: "s1", sessionKey: "other" })] });
    await journal.commit({ lines: [aLine(2), aLine(0, { turnId: "t0" })] });
    await journal[Symbol.asyncDispose]();
    await using reopened = home.open();
    const unfiled = async () =>
      (await reopened.unfiledLines(SESSION)).map(({ turnId, line }) => `${turnId}:${line}`);
    assert.deepEqual((await reopened.unfiledLines(SESSION)).slice(0, 2), lines);
    assert.deepEqual(await unfiled(), ["t1:0", "t1:1", "t1:2", "t0:0"]);
    await reopened.dropLines([aLine(0), aLine(1)]);
    assert.deepEqual(await unfiled(), ["t1:2", "t0:0"]);
    await reopened.dropLines([aLine(0), aLine(2, { sessionKey: "other" }), aLine(9)]);
    await reopened.dropLines([]);
    assert.deepEqual(await unfiled(), ["t1:2", "t0:0"]);
    await reopened.dropLines([aLine(2), aLine(0, { turnId: "t0" })]);
    await reopened.commit({ lines: [aLine(3), aLine(4)] });
    assert.deepEqual(await unfiled(), ["t1:3", "t1:4"]);
  });
}
