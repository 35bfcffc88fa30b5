import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import type { Journal, Step } from "../../../actors/journal/journal.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import type { JournalRows } from "../../../actors/journal/memory_store.ts";
import { openSqliteJournal } from "../../../actors/journal/sqlite_journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { settle } from "../../support/until.ts";
import { anInbound, anOutbound, aPlace, unfinishedSessions } from "./fixtures.ts";

/** Few names, so that operations meet each other. */
const SESSIONS = ["s1", "s2", "\0会话"];
const TURNS = ["t1", "t2", "\ud800"];
const CHANNELS = ["feishu", "telegram"];
const IDS = ["1", "2", "3", "4", '"5"', "1\0"];
const KEYS = ["t1:0", "t1:1", "t2:0"];

/** When the clock starts. */
const START_MS = new ManualClock().now();

/** One call of the journal, to be made on any of them. */
type Operation = (journal: Journal) => Promise<unknown>;

const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant("\udc00\0\ud800"));
const json: fc.Arbitrary<JsonValue> = fc.jsonValue().map((value) =>
  // What JSON does not tell apart (0 and -0) need not be kept apart.
  JSON.parse(JSON.stringify(value))
);
const object: fc.Arbitrary<JsonObject> = json.map((value) => ({ value }));
const session = fc.constantFrom(...SESSIONS);
const turnId = fc.constantFrom(...TURNS);
const channel = fc.constantFrom(...CHANNELS);
const platformId = fc.constantFrom(...IDS);
const key = fc.constantFrom(...KEYS);
const seq = fc.integer({ min: 1, max: 8 });
const optional = { requiredKeys: [] };
const settles = fc.array(
  fc.record({ platformId, outcome: fc.constantFrom("done", "failed", "stopped") }),
  { maxLength: 2 },
);

const inbound = fc.record({
  channel,
  platformId,
  sessionKey: session,
  content: text,
  media: fc.array(text, { maxLength: 2 }),
  context: object,
  wantsStream: fc.boolean(),
  replyChannel: fc.option(channel),
}).map(anInbound);

const step: fc.Arbitrary<Step> = fc.record({
  turn: fc.record({
    turnId,
    sessionKey: session,
    change: fc.constantFrom("begin", "begin", "progress", "advance", "rest", "end"),
    soloSeq: seq,
  }, { requiredKeys: ["turnId", "sessionKey", "change"] }),
  lines: fc.array(
    fc.record({
      turnId,
      sessionKey: session,
      line: fc.nat(3),
      inboundSeq: fc.option(seq),
      text,
    }),
    { maxLength: 2 },
  ),
  inbounds: fc.array(
    fc.record({
      seq,
      state: fc.constantFrom("accepted", "running", "done", "failed", "stopped", "parked"),
      turnId,
    }, { requiredKeys: ["seq", "state"] }),
    { maxLength: 2 },
  ),
  outbounds: fc.array(
    fc.record({
      key,
      channel,
      state: fc.constantFrom("open", "pending"),
      content: text,
      context: object,
      settles,
    }).map(anOutbound),
    { maxLength: 2 },
  ),
  outboundChanges: fc.array(
    fc.record({
      key,
      state: fc.constantFrom("open", "pending", "sent", "failed", "unknown"),
      content: text,
      preamble: text,
      settles,
      attempts: fc.nat(),
      firstAttemptMs: fc.maxSafeNat(),
      nextAttemptMs: fc.maxSafeNat(),
      doubtSinceMs: fc.option(fc.maxSafeNat()),
      mayRepeat: fc.boolean(),
      channelState: json,
      receipt: fc.array(text, { maxLength: 2 }),
      error: fc.option(text),
    }, { requiredKeys: ["key"] }),
    { maxLength: 2 },
  ),
  inboundMemory: fc.array(
    fc.record({ channel, platformId, channelState: json }),
    { maxLength: 2 },
  ),
  notes: fc.array(fc.record({ key, value: json }), { maxLength: 2 }),
}, optional);

/** A step that does one plain thing, so that not every sequence ends in refusals. */
const plainStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ turnId, sessionKey: session }).map(({ turnId, sessionKey }) => ({
    turn: { turnId, sessionKey, change: "begin" as const },
  })),
  fc.record({ seq, turnId }).map((change) => ({
    inbounds: [{ ...change, state: "running" as const }],
  })),
  seq.map((seq) => ({ inbounds: [{ seq, state: "done" as const }] })),
  fc.record({ key, channel, state: fc.constantFrom("open" as const, "pending" as const) })
    .map((fields) => ({ outbounds: [anOutbound(fields)] })),
);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: inbound.map((it) => (journal: Journal) => journal.accept(it)) },
  { weight: 4, arbitrary: step.map((it) => (journal: Journal) => journal.commit(it)) },
  { weight: 6, arbitrary: plainStep.map((it) => (journal: Journal) => journal.commit(it)) },
  fc.array(fc.record({ sessionKey: session, turnId, line: fc.nat(3) }), { maxLength: 3 })
    .map((it) => (journal: Journal) => journal.dropLines(it)),
  fc.record({ kind: fc.constantFrom("inbound" as const, "outbound" as const), number: seq })
    .chain((row) =>
      fc.constantFrom("retry" as const, "drop" as const)
        .map((act) => (journal: Journal) => journal[act](row))
    ),
  fc.record({
    finishedDays: fc.nat(2),
    forgottenDays: fc.nat(2),
    rowsMax: fc.integer({ min: 1, max: 3 }),
  })
    .map(({ finishedDays, forgottenDays, rowsMax }) => (journal: Journal) =>
      journal.prune({
        finishedBeforeMs: START_MS + finishedDays,
        forgottenBeforeMs: START_MS + forgottenDays,
        rowsMax,
      })
    ),
  fc.record({ session, after: fc.nat(8), limit: fc.nat(4) })
    .map(({ session, after, limit }) => (journal: Journal) =>
      journal.waiting(session, after, limit)
    ),
);

/** Groups of calls that are made at once. */
const history = fc.array(fc.array(operation, { minLength: 1, maxLength: 6 }), { maxLength: 12 });

/** Outcomes as plain data. */
function plain(outcomes: readonly PromiseSettledResult<unknown>[]): unknown[] {
  return outcomes.map((outcome) =>
    outcome.status === "fulfilled"
      ? outcome.value
      : { name: outcome.reason.name, message: outcome.reason.message }
  );
}

/** All that can be seen of a journal. */
async function sight(journal: Journal): Promise<unknown[]> {
  return await Promise.all([
    journal.counts(),
    journal.stuck(100),
    unfinishedSessions(journal),
    ...KEYS.map((key) => journal.note(key)),
    ...SESSIONS.flatMap((session): Promise<unknown>[] => [
      journal.waiting(session, 0, 100),
      journal.interrupted(session),
      journal.unfiledLines(session),
    ]),
    ...CHANNELS.flatMap((channel): Promise<unknown>[] => [
      journal.outbox({ channel, afterId: 0, limit: 100 }),
      ...IDS.map((id) => journal.inboundMemory(channel, id)),
    ]),
    ...KEYS.map((key) => journal.outbound(key)),
  ]);
}

Deno.test("Both journals look the same after the same calls", async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.nat(12), async (groups, reopenedAt) => {
      const clock = new ManualClock();
      using place = aPlace();
      const options = { path: place.path, clock, defer: nextTurn };
      let memory = new MemoryJournal(options);
      let sqlite = openSqliteJournal(options);
      for (const [index, group] of groups.entries()) {
        await clock.advance(1);
        const [expected, actual] = await Promise.all(
          [memory, sqlite].map((it) => Promise.allSettled(group.map((call) => call(it)))),
        );
        assert.deepEqual(plain(actual ?? []), plain(expected ?? []));
        if (index !== reopenedAt) continue;
        await sqlite[Symbol.asyncDispose]();
        sqlite = openSqliteJournal(options);
        memory = new MemoryJournal({ ...options, rows: memory.crash() });
      }
      assert.deepEqual(await sight(sqlite), await sight(memory));
      await sqlite[Symbol.asyncDispose]();
    }),
    { numRuns: 40 },
  );
});

Deno.test("No message is lost from sight, whatever steps are tried", async () => {
  await fc.assert(
    fc.asyncProperty(history, async (groups) => {
      await using journal = new MemoryJournal({ clock: new ManualClock(), defer: nextTurn });
      for (const group of groups) await Promise.allSettled(group.map((call) => call(journal)));
      const { inbounds, turns, outbounds } = journal.rows();
      const unfinished = new Set(await unfinishedSessions(journal));
      const openTurns = new Set(turns.map(({ turnId }) => turnId));
      for (const { state, turnId, sessionKey } of inbounds) {
        if (state === "accepted" || state === "running") assert.ok(unfinished.has(sessionKey));
        if (state === "running") assert.ok(openTurns.has(turnId ?? ""), "it runs in an open turn");
      }
      assert.equal(new Set(turns.map((turn) => turn.sessionKey)).size, turns.length);
      const seqs = [...inbounds, ...journal.rows().seen].map(({ seq }) => seq);
      assert.equal(new Set(seqs).size, seqs.length);
      const ids = outbounds.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("A crash leaves what the first calls did, the acknowledged ones at least", async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.integer({ min: 1, max: 12 }), fc.boolean(), async (
      groups,
      crashAt,
      isAfter,
    ) => {
      const { durable, answered } = await crashDuring(
        groups,
        crashAt,
        isAfter ? "after" : "before",
      );
      const replayed = new MemoryJournal({ clock: new ManualClock(), defer: nextTurn });
      let isFound = answered === 0 && isDeepStrictEqual(replayed.rows(), durable);
      for (const [index, call] of groups.flat().entries()) {
        await call(replayed).catch(() => undefined);
        isFound ||= index + 1 >= answered && isDeepStrictEqual(replayed.rows(), durable);
      }
      assert.ok(isFound, "the calls up to one of them lead to what was durable");
    }),
    { numRuns: 200 },
  );
});

/** Makes calls, group by group, until the journal crashes at one of its commits. */
async function crashDuring(
  groups: readonly (readonly Operation[])[],
  crashAt: number,
  crashPhase: "before" | "after",
): Promise<{ readonly durable: JournalRows; readonly answered: number }> {
  let commits = 0;
  let durable: JournalRows | undefined;
  let answered = 0;
  const journal: MemoryJournal = new MemoryJournal({
    clock: new ManualClock(),
    defer: nextTurn,
    onCommit: (phase) => {
      if (phase === "before") commits++;
      if (commits === crashAt && phase === crashPhase) durable = journal.crash();
    },
  });
  for (const group of groups) {
    for (const call of group) call(journal).then(() => answered++, () => answered++);
    await settle();
    if (durable !== undefined) break;
  }
  return { durable: durable ?? journal.crash(), answered };
}
