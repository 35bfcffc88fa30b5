/**
 * What every journal does, whatever keeps its rows.
 * @module
 */

import assert from "node:assert/strict";
import type {
  InboundState,
  Journal,
  NewInbound,
  OutboundState,
  Step,
} from "../../actors/journal/journal.ts";
import type { Clock } from "../../actors/kernel/clock.ts";
import {
  accepted,
  aLine,
  anInbound,
  anOutbound,
  BEGIN,
  END,
  running,
  SESSION,
} from "../actors/journal/fixtures.ts";
import { ManualClock } from "../support/manual_clock.ts";

/** A place where a journal lives on while processes come and go. */
export interface JournalHome extends AsyncDisposable {
  /** Opens the journal as a process does when it starts; the last one must have ended. */
  open(): Journal;
}

/** Makes an empty home. */
export type MakeJournalHome = (clock: Clock) => JournalHome;

const BROKEN = { code: "invariant_broken" };

/** Texts that storages like to change. */
const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ["nothing", ""],
  ["Chinese", "你好,世界。請問天氣如何?"],
  ["emoji", "👨‍👩‍👧‍👦 🏳️‍🌈 🇨🇳"],
  ["a NUL", "before\0after"],
  ["only NULs", "\0\0"],
  ["half a surrogate pair", "\ud83d and \udc4d the wrong way round"],
  ["quotes", `"quoted" and 'quoted' and \\"escaped\\"`],
  ["JSON", `"\\u0000"`],
  ["a byte order mark", "\ufeffmarked\ufeff"],
  ["line ends", "a\r\nb\nc\u2028d\u2029e\u0085f"],
  ["controls", "\x01\x02\x1b[31m\x7f"],
  ["SQL", "'); drop table inbounds; --"],
  ["numbers", "0012"],
  ["a megabyte", "汉字 and letters ".repeat(60_000)],
];

/** Registers the suite for one kind of journal. */
export function testJournalContract(name: string, makeHome: MakeJournalHome): void {
  const contract = new Contract(name, makeHome);
  testAccepting(contract);
  testWindows(contract);
  testTurns(contract);
  testLines(contract);
  testInboundStates(contract);
  testOutbounds(contract);
  testOutboundStates(contract);
  testGroups(contract);
  testTexts(contract);
  testOverviews(contract);
  testLife(contract);
}

/** What a test is given. */
interface World {
  readonly clock: ManualClock;
  readonly home: JournalHome;
  readonly journal: Journal;
}

class Contract {
  readonly #name: string;
  readonly #makeHome: MakeJournalHome;

  constructor(name: string, makeHome: MakeJournalHome) {
    this.#name = name;
    this.#makeHome = makeHome;
  }

  test(behaviour: string, body: (world: World) => Promise<void>): void {
    Deno.test(`${this.#name} ${behaviour}`, async () => {
      const clock = new ManualClock();
      await using home = this.#makeHome(clock);
      await using journal = home.open();
      await body({ clock, home, journal });
    });
  }
}

function testAccepting(contract: Contract): void {
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
      state: "accepted",
      turnId: null,
      channelState: null,
    };
    assert.deepEqual(first, { state: "accepted", inbound: row });
    assert.equal(second.seq, 2);
    assert.deepEqual(await journal.waiting(SESSION, 0, 10), [row, second]);
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

function testWindows(contract: Contract): void {
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
      (await journal.outbox("feishu", after, limit)).map(({ id }) => id);
    assert.deepEqual(await window(0, 2), [1, 3]);
    assert.deepEqual(await window(3, 2), [5]);
    assert.deepEqual(await window(0, 0), []);
    await journal.commit({ outboundChanges: [{ key: "t1:1", state: "sent" }] });
    assert.deepEqual(await window(0, 9), [3, 5]);
  });

  contract.test("refuses windows that are none", async ({ journal }) => {
    await assert.rejects(journal.waiting(SESSION, 0.5, 1), BROKEN);
    await assert.rejects(journal.waiting(SESSION, 0, -1), BROKEN);
    await assert.rejects(journal.outbox("feishu", NaN, 1), BROKEN);
  });
}

function testTurns(contract: Contract): void {
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
    assert.deepEqual(found?.turn, { turnId: "t1", sessionKey: SESSION, attempts: 1, lines: 2 });
    assert.deepEqual(found?.inbounds.map(({ seq, state, turnId }) => [seq, state, turnId]), [
      [1, "running", "t1"],
      [2, "running", "t1"],
    ]);
    assert.equal(await reopened.interrupted("other"), null);
  });

  contract.test("counts attempts and lines over all attempts of a turn", async ({ journal }) => {
    await journal.commit({ ...BEGIN, lines: [aLine(0)] });
    await journal.commit({ ...BEGIN, lines: [aLine(1), aLine(2)] });
    await journal.commit({ lines: [aLine(3)] });
    await journal.dropLines([{ turnId: "t1", line: 3 }]);
    assert.deepEqual((await journal.interrupted(SESSION))?.turn, {
      turnId: "t1",
      sessionKey: SESSION,
      attempts: 2,
      lines: 4,
    });
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

  const turn = (change: "begin" | "progress" | "end", turnId = "t1", sessionKey = SESSION) => ({
    turn: { turnId, sessionKey, change },
  });
  const wrong: readonly (readonly [name: string, before: readonly Step[], step: Step])[] = [
    ["progress of a turn that was not begun", [], turn("progress")],
    ["the end of a turn that was not begun", [], turn("end")],
    ["a second open turn of a session", [BEGIN], turn("begin", "t2")],
    ["a turn that moves to another session", [BEGIN], turn("progress", "t1", "other")],
    ["a gap in the lines of a turn", [BEGIN], { lines: [aLine(1)] }],
    ["a line that the turn has written", [{ ...BEGIN, lines: [aLine(0)] }], { lines: [aLine(0)] }],
    ["a line of an open turn in another session", [BEGIN], {
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

function testLines(contract: Contract): void {
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
    await reopened.dropLines([{ turnId: "t1", line: 0 }, { turnId: "t1", line: 1 }]);
    assert.deepEqual(await unfiled(), ["t1:2", "t0:0"]);
    await reopened.dropLines([{ turnId: "t1", line: 0 }, { turnId: "nobody", line: 9 }]);
    await reopened.dropLines([]);
    assert.deepEqual(await unfiled(), ["t1:2", "t0:0"]);
    await reopened.dropLines([{ turnId: "t1", line: 2 }, { turnId: "t0", line: 0 }]);
    await reopened.commit({ lines: [aLine(3), aLine(4)] });
    assert.deepEqual(await unfiled(), ["t1:3", "t1:4"]);
  });
}

function testInboundStates(contract: Contract): void {
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

function testOutbounds(contract: Contract): void {
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
      attempts: 0,
      firstAttemptMs: null,
      nextAttemptMs: clock.now(),
      channelState: null,
      receipt: [],
      error: null,
    };
    assert.deepEqual(made[0], row);
    assert.deepEqual(made.map(({ id, key }) => [id, key]), [[1, "t1:2:0"], [2, "t1:0"]]);
    await journal[Symbol.asyncDispose]();
    await using reopened = home.open();
    assert.deepEqual(await reopened.outbound("t1:2:0"), row);
    assert.deepEqual(await reopened.outbox("feishu", 0, 10), made);
    assert.equal(await reopened.outbound("t9:0"), null);
  });

  contract.test("completes an open row when its message is given again", async ({ journal }) => {
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
    const expected = { ...opened, ...answer, channelState: { card: "c1" }, attempts: 1 };
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
    await journal.commit({ outboundChanges: [{ key: "t1:0", error: null, channelState: null }] });
    const row = await journal.outbound("t1:0");
    assert.deepEqual([row?.error, row?.channelState], [null, null]);
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

function testOutboundStates(contract: Contract): void {
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

function testGroups(contract: Contract): void {
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

function testTexts(contract: Contract): void {
  for (const [name, text] of TEXTS) {
    contract.test(`keeps ${name} in every text as it is`, async ({ home, journal }) => {
      const inbound: NewInbound = {
        channel: text,
        platformId: text,
        sessionKey: text,
        chatId: text,
        senderId: text,
        content: text,
        media: [text],
        context: { [`k${text}`]: text },
        wantsStream: false,
      };
      const outbound = {
        ...inbound,
        key: text,
        state: "pending",
        preamble: text,
        isPlain: false,
        settles: [{ platformId: text, outcome: "done" }],
      } as const;
      const turn = { turnId: text, sessionKey: text, change: "begin" } as const;
      const line = { sessionKey: text, turnId: text, line: 0, inboundSeq: 1, text };
      const taken = await accepted(journal, inbound);
      const [made] = await journal.commit({
        turn,
        lines: [line],
        inbounds: [{ seq: 1, state: "running", turnId: text }],
        outbounds: [outbound],
        inboundMemory: [{ channel: text, platformId: text, channelState: [text] }],
      });
      await journal.commit({ outboundChanges: [{ key: text, error: text, receipt: [text] }] });
      await journal[Symbol.asyncDispose]();
      await using reopened = home.open();
      assert.deepEqual(await reopened.accept(inbound), { state: "duplicate", seq: 1 });
      assert.deepEqual(await reopened.interrupted(text), {
        turn: { turnId: text, sessionKey: text, attempts: 1, lines: 1 },
        inbounds: [{ ...taken, state: "running", turnId: text, channelState: [text] }],
      });
      assert.deepEqual(await reopened.unfiledLines(text), [line]);
      assert.deepEqual(await reopened.unfinishedSessions(), [text]);
      const sent = { ...made, error: text, receipt: [text] };
      assert.deepEqual(await reopened.outbox(text, 0, 9), [sent]);
      assert.deepEqual(await reopened.outbound(text), sent);
    });
  }

  contract.test("tells texts apart that differ in what storages cut off", async ({ journal }) => {
    const ids = ["a", "a\0", "a\0b", '"a\\u0000"', "\ud800", "\udfff", "\ufffd", "\ufeffa", "A"];
    for (const platformId of ids) {
      assert.equal((await journal.accept(anInbound({ platformId }))).state, "accepted");
    }
  });
}

function testOverviews(contract: Contract): void {
  contract.test("names unfinished sessions, oldest first", async ({ home, journal }) => {
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
    assert.deepEqual(await reopened.unfinishedSessions(), [
      "only a line",
      "only a turn",
      "waiting",
      "running",
      "a late one",
    ]);
    await reopened.dropLines([{ turnId: "t8", line: 0 }]);
    await reopened.commit({ turn: { turnId: "t9", sessionKey: "only a turn", change: "end" } });
    await reopened.commit({ inbounds: [2, 4].map((seq) => ({ seq, state: "stopped" })) });
    assert.deepEqual(await reopened.unfinishedSessions(), ["running", "waiting"]);
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

function testLife(contract: Contract): void {
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
