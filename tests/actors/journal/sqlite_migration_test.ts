import assert from "node:assert/strict";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SCHEMA_VERSION } from "../../../actors/journal/adapters/sqlite_schema.ts";
import type { Journal } from "../../../actors/journal/journal.ts";
import { openSqliteJournal } from "../../../actors/journal/sqlite_journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { accepted, anInbound, aPlace, SESSION, unfinishedSessions } from "./fixtures.ts";

const OLD_VERSIONS = [1, 2, 3, 4, 5, 6];

/** Writes a journal as the program of schema version `version` left it, and what `more` says. */
function writeOld(version: number, path: string, more: string = ""): void {
  Deno.mkdirSync(dirname(path), { recursive: true });
  const dump = new URL(`./journal_v${version}.sql`, import.meta.url);
  using database = new DatabaseSync(path);
  database.exec(Deno.readTextFileSync(dump) + more);
}

function open(path: string): Journal {
  return openSqliteJournal({ path, clock: new ManualClock(), defer: nextTurn });
}

/** Opens a journal that the program of schema version `version` left behind. */
function openOld(version: number, path: string, more?: string): Journal {
  writeOld(version, path, more);
  return open(path);
}

/** Every object of the schema with its SQL, as far as it was not made by SQLite itself. */
function schemaOf(path: string): unknown[] {
  using database = new DatabaseSync(path);
  const sql = "select type, name, sql from sqlite_master where sql is not null order by name";
  return database.prepare(sql).all().map((row) => ({ ...row }));
}

Deno.test("SqliteJournal has a dump of each schema before the present one to test with", () => {
  assert.deepEqual(OLD_VERSIONS, Array.from({ length: SCHEMA_VERSION - 1 }, (_, n) => n + 1));
});

Deno.test.each(OLD_VERSIONS)(
  "SqliteJournal goes on with a journal of version %d",
  async (version) => {
    using place = aPlace();
    await using journal = openOld(version, place.path);
    const drafts = version === 1 ? [] : ["om_draft"];
    const waiting = await journal.waiting(SESSION, 0, 9);
    assert.deepEqual(waiting.map(({ platformId }) => platformId), ["om_waiting", ...drafts]);
    assert.deepEqual(
      waiting.map(({ replyChannel, endedAtMs }) => [replyChannel, endedAtMs]),
      waiting.map(() => ["feishu", null]),
    );
    assert.deepEqual(await unfinishedSessions(journal), [SESSION, "feishu:oc_2"]);
    const found = await journal.interrupted(SESSION);
    assert.deepEqual(found?.turn, {
      turnId: "t1",
      sessionKey: SESSION,
      attempts: 2,
      lines: 1,
      soloSeq: null,
    });
    assert.deepEqual(found?.inbounds.map(({ platformId }) => platformId), ["om_running"]);
    assert.deepEqual(await journal.inboundMemory("feishu", "om_running"), { reaction_id: "r1" });
    const [odd] = await journal.waiting("feishu:oc_2", 0, 9);
    assert.deepEqual([odd?.platformId, odd?.content], ["om_nul\0", '"quoted"\0']);
    assert.deepEqual(await journal.accept(anInbound({ platformId: "om_done" })), {
      state: "duplicate",
      seq: 1,
    });
    const next = await accepted(journal, { platformId: "om_new" });
    assert.equal(next.seq, version === 1 ? 7 : 8);
  },
);

Deno.test.each(OLD_VERSIONS)(
  "SqliteJournal knows what version %d left in doubt",
  async (version) => {
    using place = aPlace();
    await using journal = openOld(version, place.path);
    const unsent = await journal.outbox({ channel: "feishu", afterId: 0, limit: 9 });
    assert.deepEqual(unsent.map(({ key, state, doubtSinceMs }) => [key, state, doubtSinceMs]), [
      ["open", "open", null],
      ["untried", "pending", null],
      ["tried", "pending", 1_700_000_005_000],
    ]);
    assert.deepEqual(unsent.at(-1)?.channelState, { parts: ["a"] });
    const stuck = await journal.stuck(9);
    assert.deepEqual(stuck.inbounds.map(({ platformId }) => platformId), ["om_failed"]);
    assert.deepEqual(stuck.outbounds.map(({ key }) => key), ["unknown", "failed"]);
    const { inbounds, outbounds } = await journal.counts();
    assert.deepEqual(outbounds, { open: 1, pending: 2, sent: 1, failed: 1, unknown: 1 });
    assert.deepEqual([inbounds.done, inbounds.failed, inbounds.stopped, inbounds.running], [
      1,
      1,
      1,
      1,
    ]);
    const old = { finishedBeforeMs: 1_800_000_000_000, forgottenBeforeMs: 0, rowsMax: 100 };
    assert.equal(await journal.prune(old), false);
    const left = await journal.counts();
    assert.equal(
      left.outbounds.sent + left.outbounds.failed,
      2,
      "its session's turn is still open",
    );
    assert.equal(left.inbounds.done + left.inbounds.failed + left.inbounds.stopped, 0);
  },
);

Deno.test.each(OLD_VERSIONS)(
  "SqliteJournal brings version %d to the schema of a new file",
  async (version) => {
    using old = aPlace();
    using fresh = aPlace();
    await openOld(version, old.path)[Symbol.asyncDispose]();
    const options = { path: fresh.path, clock: new ManualClock(), defer: nextTurn };
    await openSqliteJournal(options)[Symbol.asyncDispose]();
    assert.deepEqual(schemaOf(old.path), schemaOf(fresh.path));
  },
);

Deno.test.each(OLD_VERSIONS)(
  "SqliteJournal keeps the lines of version %d in their order, each in its session",
  async (version) => {
    using place = aPlace();
    const lines: readonly [place: number, sessionKey: string, turnId: string, line: number][] = [
      [40, "s2", "t3", 0],
      [9, "s2", "gone", 4],
      [41, "s1", "t2", 1],
      [39, "s1", "t2", 0],
      [50, "s2", "t1", 7], // a turn that is open in another session
    ];
    const values = lines.map(([at, session, turn, line]) =>
      `(${at}, '${session}', '${turn}', ${line}, null, '{"n":${at}}')`
    );
    const more = `insert into lines (place, session_key, turn_id, line, inbound_seq, text)
      values ${values.join(", ")};`;
    await using journal = openOld(version, place.path, more);
    const found = async (sessionKey: string) =>
      (await journal.unfiledLines(sessionKey)).map(({ turnId, line, text }) => [
        turnId,
        line,
        text,
      ]);
    assert.deepEqual(await found("s1"), [["t2", 0, '{"n":39}'], ["t2", 1, '{"n":41}']]);
    assert.deepEqual(await found("s2"), [
      ["gone", 4, '{"n":9}'],
      ["t3", 0, '{"n":40}'],
      ["t1", 7, '{"n":50}'],
    ]);
    assert.equal((await found(SESSION)).length, 1);
  },
);

Deno.test.each(OLD_VERSIONS)(
  "SqliteJournal leaves version %d as it was where it cannot make it new",
  async (version) => {
    using place = aPlace();
    // In the way of the last table that is made.
    writeOld(version, place.path, "create table lines_7 (a);");
    const before = schemaOf(place.path);
    assert.throws(() => open(place.path), { name: "JournalError" });
    assert.deepEqual(schemaOf(place.path), before);
    {
      using database = new DatabaseSync(place.path);
      assert.equal(database.prepare("pragma user_version").get()?.["user_version"], version);
      database.exec("drop table lines_7");
    }
    await using journal = open(place.path);
    assert.equal((await journal.unfiledLines(SESSION)).length, 1);
    assert.equal((await journal.interrupted(SESSION))?.inbounds.length, 1);
  },
);
