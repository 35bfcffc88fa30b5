import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { mock } from "node:test";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { SqliteDatabase } from "../../../actors/journal/adapters/sqlite_database.ts";
import { migrate } from "../../../actors/journal/adapters/sqlite_schema.ts";
import { SQL } from "../../../actors/journal/adapters/sqlite_statements.ts";
import { SqliteStore } from "../../../actors/journal/adapters/sqlite_store.ts";
import type { Journal } from "../../../actors/journal/journal.ts";
import { openSqliteJournal } from "../../../actors/journal/sqlite_journal.ts";
import { StoreJournal } from "../../../actors/journal/store_journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import {
  accepted,
  aLine,
  anInbound,
  anOutbound,
  aPlace,
  BEGIN,
  running,
  SESSION,
  unfinishedSessions,
} from "./fixtures.ts";

const CHILD = new URL("./committing_process.ts", import.meta.url);

function open(path: string): Journal {
  return openSqliteJournal({ path, clock: new ManualClock(), defer: nextTurn });
}

/** Permission bits. */
function modeOf(path: string): number {
  return (Deno.statSync(path).mode ?? 0) & 0o777;
}

/** Changes the file of a journal that is closed, as another program could. */
function tamper(path: string, ...statements: readonly string[]): void {
  using database = new DatabaseSync(path);
  for (const statement of statements) database.exec(statement);
}

Deno.test("SqliteJournal makes folder and file for their owner only", {
  ignore: Deno.build.os === "windows",
}, async () => {
  using place = aPlace();
  await using journal = open(place.path);
  await accepted(journal);
  const modes = ["", "/journal.db", "/journal.db-wal"].map((name) =>
    modeOf(`${place.folder}/state${name}`)
  );
  assert.deepEqual(modes, [0o700, 0o600, 0o600]);
});

Deno.test("SqliteJournal takes rights from a file that others can read", {
  ignore: Deno.build.os === "windows",
}, async () => {
  using place = aPlace();
  await open(place.path)[Symbol.asyncDispose]();
  await Deno.chmod(place.path, 0o644);
  await using _journal = open(place.path);
  assert.equal(modeOf(place.path), 0o600);
});

Deno.test("SqliteJournal has everything in its files while it is open", async () => {
  using place = aPlace();
  await using journal = open(place.path);
  await running(journal);
  await journal.commit({ lines: [aLine(0)], outbounds: [anOutbound()] });
  // What a power cut leaves behind: the files as they are, not closed by anyone.
  using copy = aPlace();
  await Deno.mkdir(`${copy.folder}/state`);
  for await (const { name } of Deno.readDir(`${place.folder}/state`)) {
    await Deno.copyFile(`${place.folder}/state/${name}`, `${copy.folder}/state/${name}`);
  }
  await using reopened = open(copy.path);
  assert.equal((await reopened.interrupted(SESSION))?.inbounds.length, 1);
  assert.deepEqual(await reopened.unfiledLines(SESSION), [aLine(0)]);
  assert.equal((await reopened.outbound("t1:0"))?.content, "hi");
});

Deno.test("SqliteJournal is refused to a second holder until the first lets go", async () => {
  using place = aPlace();
  const first = open(place.path);
  const message = `Cannot use journal "${place.path}": another process uses it`;
  assert.throws(() => open(place.path), { code: "journal_locked", message });
  await accepted(first);
  await first[Symbol.asyncDispose]();
  await using second = open(place.path);
  assert.equal((await second.waiting(SESSION, 0, 9)).length, 1);
});

/** Starts a process that commits, reads what it acknowledged up to a count, and kills it. */
async function acknowledgedBeforeKill(
  path: string,
  count: number,
  beforeKill?: () => void,
): Promise<number[]> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", fileURLToPath(CHILD), path],
    stdout: "piped",
  }).spawn();
  const decoder = new TextDecoder();
  let text = "";
  let isKilled = false;
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (isKilled || text.split("\n").length <= count) continue;
    isKilled = true;
    beforeKill?.();
    child.kill("SIGKILL");
  }
  await child.status;
  return text.split("\n").slice(0, -1).map(Number);
}

Deno.test("SqliteJournal is refused to another process until that one ends", async () => {
  using place = aPlace();
  await acknowledgedBeforeKill(place.path, 1, () => {
    assert.throws(() => open(place.path), { code: "journal_locked" });
  });
  await using journal = open(place.path);
  assert.ok((await journal.counts()).inbounds.running > 0);
});

Deno.test("SqliteJournal has all that a killed process acknowledged, and nothing half", async () => {
  for (const count of [1, 150, 700]) {
    using place = aPlace();
    const acknowledged = await acknowledgedBeforeKill(place.path, count);
    assert.ok(acknowledged.length >= count);
    await using journal = open(place.path);
    const sessions = await unfinishedSessions(journal);
    const seen = new Set<number>();
    for (const sessionKey of sessions) seen.add(await checkWhole(journal, sessionKey));
    for (const number of acknowledged) assert.ok(seen.has(number), `${number} is there`);
    const { inbounds, outbounds } = await journal.counts();
    assert.equal(inbounds.running, outbounds.pending);
    assert.equal(inbounds.running + inbounds.accepted, sessions.length);
  }
});

/** Either all of the message's step is there or nothing; gives the number if it is, else -1. */
async function checkWhole(journal: Journal, sessionKey: string): Promise<number> {
  const number = Number(sessionKey.split("-")[1]);
  const found = await journal.interrupted(sessionKey);
  const lines = await journal.unfiledLines(sessionKey);
  const outbound = await journal.outbound(`t${number}:0`);
  const memory = await journal.inboundMemory("feishu", `om_${number}`);
  if (found === null) {
    assert.equal((await journal.waiting(sessionKey, 0, 9)).length, 1);
    assert.deepEqual([lines, outbound, memory], [[], null, null]);
    return -1;
  }
  assert.deepEqual(found.inbounds.map(({ platformId }) => platformId), [`om_${number}`]);
  assert.equal(found.turn.lines, 3);
  assert.deepEqual(lines.map(({ line }) => line), [0, 1, 2]);
  assert.equal(outbound?.state, "pending");
  assert.equal(memory, number);
  return number;
}

Deno.test("SqliteJournal refuses a file that a newer program wrote, and leaves it alone", async () => {
  using place = aPlace();
  const journal = open(place.path);
  await accepted(journal);
  await journal[Symbol.asyncDispose]();
  tamper(place.path, "pragma user_version = 99");
  assert.throws(() => open(place.path), {
    code: "journal_newer",
    message: /a newer program wrote it \(version 99, and this program knows versions up to \d+\)/,
  });
  using database = new DatabaseSync(place.path);
  assert.equal(database.prepare("pragma user_version").get()?.["user_version"], 99);
  assert.equal(database.prepare("select count(*) as rows from inbounds").get()?.["rows"], 1);
});

Deno.test("SqliteJournal refuses a file that is no database", () => {
  using place = aPlace();
  Deno.mkdirSync(`${place.folder}/state`);
  Deno.writeTextFileSync(place.path, "this is not a journal, but a letter. ".repeat(200));
  assert.throws(() => open(place.path), {
    code: "journal_damaged",
    message: `Cannot use journal "${place.path}": its file is damaged`,
  });
});

Deno.test("SqliteJournal refuses a file with a damaged page", async () => {
  using place = aPlace();
  const journal = open(place.path);
  const messages = Array.from({ length: 200 }, (_, index) => anInbound({ platformId: `${index}` }));
  await Promise.all(messages.map((message) => journal.accept(message)));
  await journal[Symbol.asyncDispose]();
  using file = await Deno.open(place.path, { write: true });
  const pageBytes = 4096;
  for (let page = 2; page < 8; page++) {
    await file.seek(page * pageBytes, Deno.SeekMode.Start);
    await file.write(new Uint8Array(pageBytes).fill(0xa5));
  }
  assert.throws(() => open(place.path), { code: "journal_damaged" });
});

Deno.test("SqliteJournal calls a row damaged that makes no sense", async () => {
  using place = aPlace();
  const journal = open(place.path);
  await accepted(journal);
  await journal[Symbol.asyncDispose]();
  tamper(place.path, "update inbounds set context = 'no JSON'");
  await using reopened = open(place.path);
  await assert.rejects(reopened.waiting(SESSION, 0, 9), {
    code: "journal_damaged",
    message: "Cannot read a row of the journal: it makes no sense",
  });
  assert.equal((await reopened.counts()).inbounds.accepted, 1);
});

Deno.test("SqliteJournal cannot open below a file", () => {
  using place = aPlace();
  Deno.writeTextFileSync(`${place.folder}/state`, "");
  assert.throws(() => open(place.path), { name: "JournalError", code: "journal_failed" });
});

/** A journal whose database the test can set limits to. */
function openLimited(
  path: string,
): { readonly journal: Journal; readonly database: SqliteDatabase } {
  const database = SqliteDatabase.open(path);
  const store = new SqliteStore(database);
  return {
    database,
    journal: new StoreJournal(store, { clock: new ManualClock(), defer: nextTurn }),
  };
}

Deno.test("SqliteJournal keeps nothing half when its disk is full, and goes on after", async () => {
  using place = aPlace();
  const { journal, database } = openLimited(place.path);
  await accepted(journal);
  const big = "x".repeat(100_000);
  database.prepare("pragma max_page_count = 30").get();
  const full = { name: "JournalError", code: "journal_full" };
  const outcomes = await Promise.allSettled([
    journal.commit({ ...BEGIN, lines: [aLine(0, { text: big })], outbounds: [anOutbound()] }),
    journal.accept(anInbound({ platformId: "big", content: big })),
    journal.waiting(SESSION, 0, 9),
    journal.accept(anInbound({ platformId: "small" })),
  ]);
  assert.deepEqual(outcomes.map(({ status }) => status), [
    "rejected",
    "rejected",
    "fulfilled",
    "fulfilled",
  ]);
  await assert.rejects(journal.commit({ ...BEGIN, lines: [aLine(0, { text: big })] }), full);
  assert.equal(await journal.interrupted(SESSION), null);
  assert.equal(await journal.outbound("t1:0"), null);
  assert.equal((await journal.counts()).inbounds.accepted, 2);
  database.prepare("pragma max_page_count = 1000000").get();
  await journal.commit({ ...BEGIN, lines: [aLine(0, { text: big })] });
  assert.deepEqual(await journal.accept(anInbound({ platformId: "small" })), {
    state: "duplicate",
    seq: 2,
  });
  assert.equal((await accepted(journal, { platformId: "big" })).seq, 3);
  await journal[Symbol.asyncDispose]();
  await using reopened = open(place.path);
  assert.equal((await reopened.unfiledLines(SESSION))[0]?.text, big);
});

Deno.test("SqliteJournal refuses writes and still reads while it is read-only", async () => {
  using place = aPlace();
  const { journal, database } = openLimited(place.path);
  await using _closing = journal;
  await accepted(journal);
  database.prepare("pragma query_only = on").get();
  await assert.rejects(journal.accept(anInbound({ platformId: "om_2" })), {
    code: "journal_read_only",
  });
  assert.equal((await journal.waiting(SESSION, 0, 9)).length, 1);
  database.prepare("pragma query_only = off").get();
  assert.equal((await accepted(journal, { platformId: "om_2" })).seq, 2);
});

Deno.test.each(
  [
    [
      "waitingInbounds",
      "SEARCH inbounds USING INDEX inbounds_open (session_key=? AND state=? AND seq>?)",
    ],
    ["runningInbounds", "SEARCH inbounds USING INDEX inbounds_open (session_key=? AND state=?)"],
    ["firstRunning", "SEARCH inbounds USING INDEX inbounds_open (session_key=? AND state=?)"],
    ["unsentOutbounds", "SEARCH outbounds USING INDEX outbounds_unsent (channel=? AND id>?)"],
    ["unsentOfChat", "SEARCH outbounds USING INDEX outbounds_unsent (channel=? AND id>?)"],
    ["busySessions", "SEARCH inbounds USING INDEX inbounds_busy (seq>?)"],
    ["stuckInbounds", "SCAN inbounds USING INDEX inbounds_stuck"],
    ["stuckOutbounds", "SCAN outbounds USING INDEX outbounds_stuck"],
    ["oldInbounds", "SEARCH inbounds USING INDEX inbounds_ended (ended_at_ms<?)"],
    ["pruneOutbounds", "SEARCH outbounds USING INDEX outbounds_ended (ended_at_ms<?)"],
    ["pruneSeen", "SEARCH seen USING COVERING INDEX seen_by_end (ended_at_ms<?)"],
  ] as const,
)("SqliteJournal looks for its rows without reading all others: %s", (name, expected) => {
  using place = aPlace();
  using database = SqliteDatabase.open(place.path);
  migrate(database);
  const plan = database.prepare(`explain query plan ${SQL[name]}`).all();
  const steps = z.array(z.object({ detail: z.string() })).parse(plan).map(({ detail }) => detail);
  assert.ok(steps.includes(expected), steps.join("; "));
  const isReadingAll = steps.some((step) => /^SCAN (in|out)bounds$/.test(step));
  assert.equal(isReadingAll, false);
});

Deno.test("SqliteJournal syncs commits unless they need none", async () => {
  using place = aPlace();
  await using journal = open(place.path);
  const file = Deno.FsFile.prototype;
  const mocks = [mock.method(file, "syncData").mock, mock.method(file, "syncDataSync").mock];
  const syncs = () => mocks.reduce((sum, counted) => sum + counted.callCount(), 0);
  try {
    const { seq } = await accepted(journal);
    assert.equal(syncs(), 1);
    await journal.commit({
      ...BEGIN,
      lines: [aLine(0)],
      inbounds: [{ seq, state: "running", turnId: "t1" }],
    }, "written");
    await journal.dropLines([aLine(0)]);
    await journal.waiting(SESSION, 0, 9);
    assert.equal(syncs(), 1);
    await journal.sync();
    assert.equal(syncs(), 2);
  } finally {
    for (const counted of mocks) counted.restore();
  }
});

Deno.test("SqliteJournal takes nothing more once its disk failed, until it is opened anew", async () => {
  using place = aPlace();
  const journal = open(place.path);
  await accepted(journal);
  const failing = () => {
    throw new Error("Input/output error");
  };
  const file = Deno.FsFile.prototype;
  const byThread = mock.method(file, "syncData", () => Promise.try(failing)).mock;
  const atOnce = mock.method(file, "syncDataSync", failing).mock;
  const refused = {
    name: "JournalError",
    code: "journal_unsynced",
    message: /restart the gateway/,
  };
  await assert.rejects(accepted(journal, { platformId: "om_2" }), refused);
  byThread.restore();
  atOnce.restore();
  await assert.rejects(accepted(journal, { platformId: "om_3" }), refused);
  assert.equal(journal.trouble?.code, "journal_unsynced");
  assert.equal(journal.lost.aborted, true);
  await journal[Symbol.asyncDispose]();
  await using reopened = open(place.path);
  assert.equal(await reopened.inbound("feishu", "om_3"), null);
  await accepted(reopened, { platformId: "om_3" });
});

Deno.test("SqliteJournal writes what a crash left in its log into the database as it opens", async () => {
  using place = aPlace();
  await using journal = open(place.path);
  await accepted(journal);
  // As the files are when the process dies: nobody has closed them.
  const left = `${place.path}.left`;
  for (const end of ["", "-wal"]) await Deno.copyFile(`${place.path}${end}`, `${left}${end}`);
  assert.ok((await Deno.stat(`${left}-wal`)).size > 0);
  await using reopened = open(left);
  assert.equal((await Deno.stat(`${left}-wal`)).size, 0);
  assert.equal((await reopened.waiting(SESSION, 0, 9)).length, 1);
});

Deno.test("SqliteDatabase takes back what it wrote when the work throws", () => {
  using place = aPlace();
  using database = SqliteDatabase.open(place.path);
  database.transaction(() => void database.prepare("create table t (a)").run());
  const insert = database.prepare("insert into t values (1)");
  const failing = () =>
    database.transaction(() => {
      insert.run();
      throw new RangeError("no");
    });
  assert.throws(failing, RangeError);
  assert.deepEqual(database.prepare("select a from t").all(), []);
  database.transaction(() => void insert.run());
  assert.equal(database.prepare("select a from t").all().length, 1);
});

Deno.test("SqliteJournal gives room back before it makes more of it", async () => {
  using place = aPlace();
  const { journal, database } = openLimited(place.path);
  await using _closing = journal;
  const content = "x".repeat(40_000);
  const platformIds = Array.from({ length: 400 }, (_, n) => `om_${n}`);
  await Promise.all(
    platformIds.map((id) => journal.accept(anInbound({ platformId: id, content }))),
  );
  await journal.commit({
    inbounds: platformIds.map((_, n) => ({ seq: n + 1, state: "done" as const })),
  });
  const pages = z.object({ page_count: z.int() })
    .parse(database.prepare("pragma page_count").get()).page_count;
  const finishedBeforeMs = Number.MAX_SAFE_INTEGER;
  let freeMax = 0;
  while (await journal.prune({ finishedBeforeMs, forgottenBeforeMs: 0, rowsMax: 50 })) {
    const { freelist_count: free } = z.object({ freelist_count: z.int() })
      .parse(database.prepare("pragma freelist_count").get());
    freeMax = Math.max(freeMax, free);
  }
  // What one step frees, and what stays free.
  assert.ok(freeMax < pages / 4, `${freeMax} of ${pages} pages were free at once`);
  assert.equal((await journal.counts()).inbounds.done, 0);
});

Deno.test("SqliteJournal gives room back to the disk, a little at a time", async () => {
  using place = aPlace();
  const { journal, database } = openLimited(place.path);
  await using _closing = journal;
  const content = "x".repeat(4_000);
  const messages = Array.from(
    { length: 1_000 },
    (_, n) => anInbound({ platformId: `om_${n}`, content }),
  );
  await Promise.all(messages.map((message) => journal.accept(message)));
  await journal.commit({
    inbounds: messages.map((_, n) => ({ seq: n + 1, state: "done" as const })),
  });
  const pages = () =>
    z.object({ page_count: z.int() }).parse(database.prepare("pragma page_count").get()).page_count;
  const before = pages();
  const finishedBeforeMs = Number.MAX_SAFE_INTEGER;
  let steps = 0;
  for (let hasMore = true; hasMore; steps++) {
    hasMore = await journal.prune({ finishedBeforeMs, forgottenBeforeMs: 0, rowsMax: 100 });
  }
  assert.ok(before > 1_000 && pages() < before / 2, `${before} pages became ${pages()}`);
  assert.ok(steps >= 10, `${steps} steps`);
});
