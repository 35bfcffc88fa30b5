/**
 * What a journal shows of what is left to do.
 * @module
 */

import assert from "node:assert/strict";
import { FIRST_SESSIONS, type Journal } from "../../../actors/journal/journal.ts";
import { accepted, aLine, anOutbound, BEGIN, SESSION } from "../../actors/journal/fixtures.ts";
import { BROKEN, type Contract } from "./harness.ts";

/** Windows of what waits. */
export function testWindows(contract: Contract): void {
  contract.test("gives waiting messages in windows of one session", async ({ journal }) => {
    for (let n = 1; n <= 6; n++) {
      const sessionKey = n % 2 === 0 ? "other" : SESSION;
      await accepted(journal, { platformId: `om_${n}`, sessionKey });
    }
    const window = async (after: number, limit: number) =>
      (await journal.waiting(SESSION, after, limit)).map(({ seq }) => seq);
    assert.deepEqual(await window(0, 2), [1, 3]);
    assert.deepEqual(await window(3, 2), [5]);
    assert.deepEqual(await window(5, 2), []);
    assert.deepEqual(await window(0, 0), []);
    await journal.commit({ inbounds: [{ seq: 3, state: "done" }] });
    assert.deepEqual(await window(0, 9), [1, 5]);
  });

  contract.test("gives unsent outbounds in windows of one channel", async ({ journal }) => {
    await journal.commit({
      outbounds: [1, 2, 3, 4, 5, 6].map((n) =>
        anOutbound({
          key: `t1:${n}`,
          channel: n % 2 === 0 ? "telegram" : "feishu",
          state: n === 3 ? "open" : "pending",
        })
      ),
    });
    const window = async (after: number, limit: number) =>
      (await journal.outbox({ channel: "feishu", afterId: after, limit })).map(({ id }) => id);
    assert.deepEqual(await window(0, 2), [1, 3]);
    assert.deepEqual(await window(3, 2), [5]);
    assert.deepEqual(await window(0, 0), []);
    await journal.commit({ outboundChanges: [{ key: "t1:1", state: "sent" }] });
    assert.deepEqual(await window(0, 9), [3, 5]);
  });

  contract.test("gives unsent outbounds of one chat, or of all but some", async ({ journal }) => {
    await journal.commit({
      outbounds: [1, 2, 3, 4, 5, 6].map((n) =>
        anOutbound({ key: `t1:${n}`, chatId: `oc_${n % 3}` })
      ),
    });
    const window = { channel: "feishu", afterId: 0, limit: 9 };
    const idsOf = async (more: { chatId?: string; withoutChats?: readonly string[] }) =>
      (await journal.outbox({ ...window, ...more })).map(({ id }) => id);
    assert.deepEqual(await idsOf({ chatId: "oc_1" }), [1, 4]);
    assert.deepEqual(await idsOf({ withoutChats: ["oc_1"] }), [2, 3, 5, 6]);
    assert.deepEqual(await idsOf({ withoutChats: ["oc_1", "oc_0"] }), [2, 5]);
    assert.deepEqual(await idsOf({ chatId: "oc_9" }), []);
  });

  contract.test("refuses windows that are none", async ({ journal }) => {
    await assert.rejects(journal.waiting(SESSION, 0.5, 1), BROKEN);
    await assert.rejects(journal.waiting(SESSION, 0, -1), BROKEN);
    const window = { channel: "feishu", afterId: NaN, limit: 1 };
    await assert.rejects(journal.outbox(window), BROKEN);
    await assert.rejects(journal.unfinishedSessions(FIRST_SESSIONS, 0), BROKEN);
  });
}

/** What is left to do, in numbers and names. */
export function testOverviews(contract: Contract): void {
  contract.test("names unfinished sessions, interrupted ones first, then oldest first", async (world) => {
    const { home, journal } = world;
    await accepted(journal, { platformId: "1", sessionKey: "done" });
    await accepted(journal, { platformId: "2", sessionKey: "waiting" });
    await accepted(journal, { platformId: "3", sessionKey: "running" });
    await accepted(journal, { platformId: "4", sessionKey: "a late one" });
    await accepted(journal, { platformId: "5", sessionKey: "waiting" });
    await accepted(journal, { platformId: "6", sessionKey: "running" });
    await journal.commit({ inbounds: [{ seq: 1, state: "done" }] });
    await journal.commit({
      turn: { turnId: "t3", sessionKey: "running", change: "begin" },
      inbounds: [{ seq: 3, state: "running", turnId: "t3" }],
    });
    await journal.commit({ turn: { turnId: "t9", sessionKey: "only a turn", change: "begin" } });
    await journal.commit({ lines: [aLine(0, { turnId: "t8", sessionKey: "only a line" })] });
    await journal[Symbol.asyncDispose]();
    await using reopened = home.open();
    const interrupted = ["only a line", "only a turn", "running"];
    const waiting = ["waiting", "running", "a late one"];
    assert.deepEqual(await pages(reopened, 10), [interrupted, waiting]);
    assert.deepEqual(await pages(reopened, 2), [
      ["only a line", "only a turn"],
      ["running"],
      ["waiting", "running"],
      ["a late one", "waiting"],
      ["running"],
    ]);
    await reopened.dropLines([{ sessionKey: "only a line", turnId: "t8", line: 0 }]);
    await reopened.commit({ turn: { turnId: "t9", sessionKey: "only a turn", change: "end" } });
    await reopened.commit({ inbounds: [2, 4].map((seq) => ({ seq, state: "stopped" })) });
    assert.deepEqual(await pages(reopened, 10), [["running"], ["running", "waiting"]]);
  });

  contract.test("counts rows by state", async ({ home, journal }) => {
    for (let n = 1; n <= 7; n++) await accepted(journal, { platformId: `${n}` });
    await journal.commit({
      ...BEGIN,
      inbounds: [
        { seq: 1, state: "running", turnId: "t1" },
        { seq: 2, state: "done" },
        { seq: 3, state: "failed" },
        { seq: 4, state: "stopped" },
        { seq: 5, state: "parked" },
      ],
      outbounds: [0, 1, 2].map((n) => anOutbound({ key: `t1:${n}`, state: "open" })),
    });
    await journal.commit({
      outbounds: [anOutbound({ key: "t1:1" })],
      outboundChanges: [{ key: "t1:2", state: "unknown" }],
    });
    const expected = {
      inbounds: { accepted: 2, running: 1, done: 1, failed: 1, stopped: 1, parked: 1 },
      outbounds: { open: 1, pending: 1, sent: 0, failed: 0, unknown: 1 },
    };
    assert.deepEqual(await journal.counts(), expected);
    await journal[Symbol.asyncDispose]();
    await using reopened = home.open();
    assert.deepEqual(await reopened.counts(), expected);
  });
}

/** All pages of a look at the unfinished sessions. */
async function pages(journal: Journal, limit: number): Promise<(readonly string[])[]> {
  const found: (readonly string[])[] = [];
  let page = await journal.unfinishedSessions(FIRST_SESSIONS, limit);
  found.push(page.sessionKeys);
  while (page.next !== null) {
    page = await journal.unfinishedSessions(page.next, limit);
    if (page.sessionKeys.length > 0) found.push(page.sessionKeys);
  }
  return found;
}
