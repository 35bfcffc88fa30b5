import assert from "node:assert/strict";
import { JOBS_MAX } from "../../../actors/automation/job_book.ts";
import { cronInputId } from "../../../actors/journal/journal.ts";
import { CronBench, NOON_MS, OWNER } from "./_cron.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

Deno.test("A job is kept with the fields of nanobot's file", async () => {
  const bench = new CronBench(NOON_MS, "Asia/Shanghai");
  const { id } = await bench.add({ expr: "0 9 * * *" }, { name: "Tea" });
  const [entry] = bench.files.entries();
  assert.equal(id.length, 8);
  assert.equal(JSON.parse(bench.files.text ?? "").version, 1);
  assert.equal(entry?.["name"], "Tea");
  assert.deepEqual(entry?.["schedule"], {
    kind: "cron",
    atMs: null,
    everyMs: null,
    expr: "0 9 * * *",
    tz: "Asia/Shanghai",
  });
  const { payload } = await bench.job();
  assert.deepEqual([payload.channel, payload.to, payload.deliver], ["probe", "1", true]);
  assert.equal((await bench.job()).state.nextRunAtMs, Date.UTC(2026, 5, 2, 1));
});

Deno.test("A job that is due runs once, in its chat, marked as a job", async () => {
  const bench = new CronBench();
  const { id } = await bench.add({ everySeconds: 3_600 });
  await bench.pass(HOUR_MS - 1);
  assert.deepEqual(bench.runs.ids, []);
  await bench.pass(1);
  await bench.pass(10);
  assert.deepEqual(bench.runs.ids, [cronInputId(id, NOON_MS + HOUR_MS)]);
  const [run] = [...bench.runs.taken.values()];
  assert.deepEqual(
    [run?.channel, run?.replyChannel, run?.chatId, run?.sessionKey],
    ["system", "probe", "1", "probe:1"],
  );
  assert.match(run?.content ?? "", /^\[Scheduled job "Water the plants" \(/);
  const { state } = await bench.job();
  assert.deepEqual(
    state.runHistory.map(({ outcome, status, dueAtMs }) => [outcome, status, dueAtMs]),
    [["ran", "ok", NOON_MS + HOUR_MS]],
  );
});

Deno.test("An answer that goes nowhere has a conversation of its own", async () => {
  const bench = new CronBench();
  const { id } = await bench.add({ everySeconds: 60 }, { deliver: false });
  await bench.pass(MINUTE_MS);
  const [run] = [...bench.runs.taken.values()];
  assert.deepEqual([run?.replyChannel, run?.sessionKey], [null, `cron:${id}`]);
});

Deno.test("A single time is late by default, and gone once it ran", async () => {
  const bench = new CronBench();
  await bench.add({ at: "+20m" });
  bench.restart();
  await bench.pass(5 * HOUR_MS);
  assert.equal(bench.runs.ids.length, 1);
  assert.match(bench.runs.texts[0] ?? "", /5 h ago|280 min ago/);
  await bench.pass(MINUTE_MS);
  assert.deepEqual(await bench.jobs(), []);
});

Deno.test("A single time that is paused during its run is gone after it", async () => {
  const bench = new CronBench();
  const { id } = await bench.add({ at: "+20m" });
  bench.runs.endsAs = null;
  await bench.pass(20 * MINUTE_MS);
  await bench.keeper.change(id, { enabled: false }, OWNER);
  await bench.pass(MINUTE_MS);
  assert.equal((await bench.job()).enabled, false);
  bench.runs.end();
  await bench.pass(MINUTE_MS);
  assert.deepEqual(await bench.jobs(), []);
});

Deno.test("A single time that is paused, and run by hand before it, stays", async () => {
  const bench = new CronBench();
  const { id } = await bench.add({ at: "+20m" });
  await bench.keeper.change(id, { enabled: false }, OWNER);
  await bench.keeper.run(id, true, OWNER);
  await bench.pass(MINUTE_MS);
  assert.equal((await bench.job()).state.runHistory.length, 1);
  await bench.pass(HOUR_MS);
  assert.equal((await bench.job()).enabled, false);
});

Deno.test("A single time that is not to be made up for is missed once, and kept for a person", async () => {
  const bench = new CronBench();
  await bench.add({ at: "+20m" }, { missedRuns: "skip" });
  bench.restart();
  await bench.pass(5 * HOUR_MS);
  for (let look = 0; look < 3; look++) await bench.pass(MINUTE_MS);
  assert.deepEqual(bench.runs.ids, []);
  const { enabled, state } = await bench.job();
  assert.deepEqual([enabled, state.nextRunAtMs, state.lastStatus], [false, null, "skipped"]);
  assert.deepEqual(state.runHistory.map(({ outcome }) => outcome), ["missed"]);
  assert.deepEqual(bench.told.length, 1);
  assert.match(bench.told.join(), /was missed: the gateway did not run at that time/);
});

Deno.test("A single time of last month is not worth anything, and is kept for a person", async () => {
  const bench = new CronBench();
  await bench.add({ at: "+20m" });
  await bench.pass(30 * DAY_MS);
  assert.deepEqual(bench.runs.ids, []);
  const { enabled, state } = await bench.job();
  assert.deepEqual([enabled, state.lastStatus], [false, "error"]);
  assert.match(bench.told.join(), /could not run: its time was 30 d ago/);
});

Deno.test.each(
  [
    ["skip", [], [["missed", 10]]],
    ["once", [NOON_MS + 10 * HOUR_MS], [["missed", 9], ["late", 1]]],
    [
      "all",
      Array.from({ length: 10 }, (_, index) => NOON_MS + (index + 1) * HOUR_MS),
      Array.from({ length: 10 }, () => ["late", 1]),
    ],
  ] as const,
)("After ten hours off, the policy %s accounts for each hour", async (missedRuns, ran, records) => {
  const bench = new CronBench();
  const { id } = await bench.add({ everySeconds: 3_600 }, { missedRuns });
  bench.restart();
  await bench.pass(10 * HOUR_MS + 30 * MINUTE_MS);
  for (let look = 0; look < 12; look++) await bench.pass(10);
  assert.deepEqual(bench.runs.ids, ran.map((dueMs) => cronInputId(id, dueMs)));
  const { state } = await bench.job();
  assert.deepEqual(state.runHistory.map(({ outcome, count }) => [outcome, count]), records);
  assert.equal(state.nextRunAtMs, NOON_MS + 11 * HOUR_MS);
});

Deno.test("A run waits for the one before it; what fell due meanwhile is refused", async () => {
  const bench = new CronBench();
  const { id } = await bench.add({ everySeconds: 60 });
  bench.runs.endsAs = null;
  await bench.pass(MINUTE_MS);
  await bench.pass(3 * MINUTE_MS);
  assert.equal(bench.runs.ids.length, 1);
  bench.runs.end();
  await bench.pass(10_000);
  assert.deepEqual(bench.runs.ids.at(-1), cronInputId(id, NOON_MS + 4 * MINUTE_MS));
  const { state } = await bench.job();
  assert.deepEqual(
    state.runHistory.map(({ outcome, count }) => [outcome, count]),
    [["ran", 1], ["refused", 2]],
  );
});

Deno.test.each(
  [
    ["failed", "error", /turn failed/],
    ["stopped", "error", /stopped/],
    ["parked", "error", /put aside/],
    ["done", "ok", /^$/],
  ] as const,
)("A run that ended as %s is an %s", async (ending, status, reason) => {
  const bench = new CronBench();
  await bench.add({ everySeconds: 60 });
  bench.runs.endsAs = ending;
  await bench.pass(MINUTE_MS);
  await bench.pass(10);
  const { state } = await bench.job();
  assert.equal(state.lastStatus, status);
  assert.match(state.lastError ?? "", reason);
});

Deno.test("The history keeps the last twenty runs, and stands in the file", async () => {
  const bench = new CronBench();
  await bench.add({ everySeconds: 60 });
  for (let run = 0; run < 25; run++) await bench.pass(MINUTE_MS);
  await bench.pass(10);
  bench.restart();
  const { runHistory } = (await bench.job()).state;
  assert.equal(runHistory.length, 20);
  assert.equal(runHistory.at(-1)?.dueAtMs, NOON_MS + 25 * MINUTE_MS);
});

Deno.test("A process that dies after a run was taken in does not repeat it", async () => {
  const bench = new CronBench();
  await bench.add({ everySeconds: 60 });
  const before = bench.files.text;
  await bench.pass(MINUTE_MS);
  bench.files.edit(before); // it died before the file was written
  bench.restart();
  await bench.pass(10);
  await bench.pass(10);
  assert.equal(bench.runs.ids.length, 1);
  assert.equal((await bench.job()).state.runHistory.length, 1);
});

Deno.test("A journal that cannot take a run in has it due again", async () => {
  const bench = new CronBench();
  await bench.add({ everySeconds: 60 });
  bench.runs.failure = new Error("disk full");
  await assert.rejects(bench.pass(MINUTE_MS), /disk full/);
  assert.equal(bench.keeper.report.trouble, "disk full");
  bench.runs.failure = null;
  await bench.pass(5_000);
  assert.equal(bench.runs.ids.length, 1);
  assert.equal(bench.keeper.report.trouble, null);
});

Deno.test("A job for a channel that is off is refused, and owners hear of it once", async () => {
  const bench = new CronBench();
  await bench.add({ everySeconds: 60 }, { channel: "telegram" });
  await bench.pass(MINUTE_MS);
  await bench.pass(MINUTE_MS);
  assert.deepEqual(bench.runs.ids, []);
  const { state } = await bench.job();
  assert.deepEqual(state.runHistory.map(({ outcome }) => outcome), ["refused", "refused"]);
  assert.equal(bench.told.length, 1);
});

Deno.test("A job that is paused does not run, and goes on from now", async () => {
  const bench = new CronBench();
  const { id } = await bench.add({ everySeconds: 3_600 });
  await bench.keeper.change(id, { enabled: false }, OWNER);
  await bench.pass(5 * HOUR_MS + MINUTE_MS);
  assert.deepEqual(bench.runs.ids, []);
  await bench.keeper.change(id, { enabled: true }, OWNER);
  assert.equal((await bench.job()).state.nextRunAtMs, bench.nowMs + HOUR_MS);
});

Deno.test("A job that is changed is due by its new schedule and keeps its history", async () => {
  const bench = new CronBench();
  const { id } = await bench.add({ everySeconds: 60 });
  await bench.pass(MINUTE_MS);
  await bench.pass(10);
  await bench.keeper.change(id, { schedule: { expr: "0 9 * * *" }, message: "New" }, OWNER);
  const job = await bench.job();
  assert.equal(job.state.nextRunAtMs, Date.UTC(2026, 5, 2, 9));
  assert.equal(job.state.runHistory.length, 1);
  assert.equal(job.payload.message, "New");
});

Deno.test("A person runs a job now, beside its schedule", async () => {
  const bench = new CronBench();
  const { id } = await bench.add({ everySeconds: 3_600 });
  await bench.keeper.change(id, { enabled: false }, OWNER);
  const refused = await bench.keeper.run(id, false, OWNER);
  assert.match(refused.state === "refused" ? refused.reason : "", /it is paused/);
  assert.equal((await bench.keeper.run(id, true, OWNER)).state, "done");
  assert.equal(bench.runs.ids.length, 1);
  await bench.pass(10);
  assert.equal((await bench.job()).state.runHistory[0]?.dueAtMs, null);
});

Deno.test("A run by hand stands in the file before the journal has it", async () => {
  const bench = new CronBench();
  const { id } = await bench.add({ everySeconds: 3_600 });
  bench.files.beforeSwap = () => {
    throw new Error("disk full");
  };
  await assert.rejects(bench.keeper.run(id, false, OWNER), /disk full/);
  bench.files.beforeSwap = () => {};
  await bench.pass(10);
  assert.deepEqual(bench.runs.ids, [], "what was refused does not run");
});

Deno.test("A process that dies as a run by hand is written down begins it at the next start", async () => {
  const bench = new CronBench();
  const { id } = await bench.add({ everySeconds: 3_600 });
  bench.runs.failure = new Error("the process died");
  assert.equal((await bench.keeper.run(id, false, OWNER)).state, "done");
  bench.restart();
  bench.runs.failure = null;
  for (let look = 0; look < 3; look++) await bench.pass(10);
  assert.deepEqual(bench.runs.ids, [cronInputId(id, NOON_MS)]);
  assert.match(bench.runs.texts[0] ?? "", /somebody asked to run it now/);
  const { runHistory } = (await bench.job()).state;
  assert.deepEqual(runHistory.map(({ outcome, dueAtMs }) => [outcome, dueAtMs]), [["ran", null]]);
});

Deno.test("A process that dies as the journal has a run by hand keeps it in the record", async () => {
  const bench = new CronBench();
  const { id } = await bench.add({ everySeconds: 3_600 });
  const accept = bench.runs.accept.bind(bench.runs);
  let stood: string | null = null;
  bench.runs.accept = (inbound) => {
    stood = bench.files.text;
    return accept(inbound);
  };
  await bench.keeper.run(id, false, OWNER);
  bench.files.edit(stood); // nothing was written after that
  bench.restart();
  for (let look = 0; look < 3; look++) await bench.pass(10);
  assert.equal(bench.runs.ids.length, 1);
  assert.deepEqual((await bench.job()).state.runHistory.map(({ outcome }) => outcome), ["ran"]);
});

Deno.test("A clock that was years ahead stops no job", async () => {
  const bench = new CronBench(Date.UTC(2036, 0, 1));
  await bench.add({ everySeconds: 3_600 });
  await bench.pass(HOUR_MS);
  bench.nowMs = NOON_MS;
  await bench.pass(0);
  await bench.pass(HOUR_MS);
  assert.equal(bench.runs.ids.length, 2);
});

Deno.test("A clock that is set back an hour repeats no run", async () => {
  const bench = new CronBench();
  await bench.add({ everySeconds: 600 });
  for (let run = 0; run < 6; run++) await bench.pass(10 * MINUTE_MS);
  bench.nowMs -= HOUR_MS;
  for (let run = 0; run < 6; run++) await bench.pass(10 * MINUTE_MS);
  assert.equal(bench.runs.ids.length, 6);
  await bench.pass(10 * MINUTE_MS);
  assert.equal(bench.runs.ids.length, 7);
});

Deno.test("There are only so many jobs", async () => {
  const bench = new CronBench();
  const schedule = { kind: "every", everyMs: 3_600_000 };
  const jobs = Array.from({ length: JOBS_MAX }, (_, index) => ({ id: `job${index}`, schedule }));
  bench.files.edit(JSON.stringify({ version: 1, jobs }));
  await assert.rejects(bench.add({ everySeconds: 3_600 }), /there are 200, which is the most/);
});

Deno.test.each(
  [
    [{}, /it has no schedule/],
    [{ everySeconds: 60, at: "+1h" }, /more than one schedule/],
    [{ everySeconds: 1 }, /an interval is 10s at least/],
    [{ everySeconds: -5 }, /an interval is 10s at least/],
    [{ everySeconds: 60, tz: "Europe/Berlin" }, /an interval has no time zone/],
    [{ expr: "every day" }, /is no cron expression: give five fields/],
    [{ expr: "61 * * * *" }, /Invalid value for minute/],
    [{ expr: "0 0 30 2 *" }, /is never due/],
    [{ expr: "* * * * * *" }, /more often than every 10s/],
    [{ expr: "0 9 * * *", tz: "Mars/Olympus" }, /there is none of that name/],
    [{ at: "2026-05-01T08:00" }, /that was 31 d ago/],
    [{ at: "tomorrow" }, /Cannot read the time "tomorrow": give it as/],
    [{ at: "2026-06-31T08:00" }, /Cannot read the time/],
  ] as const,
)("The schedule %j is refused with a word that helps", async (schedule, expected) => {
  const bench = new CronBench();
  await assert.rejects(bench.add(schedule), expected);
  assert.deepEqual(bench.files.entries(), []);
});

Deno.test.each(
  [
    ["2026-06-02T08:00:00", "Asia/Shanghai", Date.UTC(2026, 5, 2, 0)],
    ["2026-06-02 08:00", "UTC", Date.UTC(2026, 5, 2, 8)],
    ["2026-06-02T08:00:00+02:00", "Asia/Shanghai", Date.UTC(2026, 5, 2, 6)],
    ["2026-06-02T08:00:00Z", "Asia/Shanghai", Date.UTC(2026, 5, 2, 8)],
    ["+90m", "Asia/Shanghai", NOON_MS + 90 * MINUTE_MS],
  ] as const,
)("The time %s in %s is due when it should be", async (at, timezone, dueMs) => {
  const bench = new CronBench(NOON_MS, timezone);
  await bench.add({ at });
  assert.equal((await bench.job()).state.nextRunAtMs, dueMs);
});

Deno.test("People see and change the jobs of their own, and owners all", async () => {
  const bench = new CronBench();
  const person = (name: string, chatId: string) => ({
    address: `probe:${name}`,
    isOwner: false,
    chat: { channel: "probe", chatId },
  });
  const { id } = await bench.add({ everySeconds: 60 }, { to: "group" }, person("ann", "group"));
  const seenBy = async (name: string) =>
    (await bench.keeper.list(person(name, "group"))).jobs.length;
  assert.deepEqual([await seenBy("ann"), await seenBy("bob")], [1, 0]);
  const refused = await bench.keeper.remove(id, person("bob", "group"));
  assert.match(refused.state === "refused" ? refused.reason : "", /it is not yours/);
  const inside = { address: null, isOwner: false, chat: { channel: "probe", chatId: "group" } };
  assert.equal((await bench.keeper.list(inside)).jobs.length, 1);
  assert.equal((await bench.keeper.remove(id, OWNER)).state, "done");
});

Deno.test("A run begins once it is written down, and is told of by its own due time", async () => {
  const bench = new CronBench();
  await bench.add({ everySeconds: 60 });
  bench.files.beforeSwap = () => {
    throw new Error("no space left on device");
  };
  await assert.rejects(bench.pass(MINUTE_MS), /no space/);
  assert.deepEqual(bench.runs.ids, []);
  bench.files.beforeSwap = () => {};
  bench.runs.failure = new Error("the journal is full");
  await assert.rejects(bench.pass(1_000), /journal is full/);
  // The process dies before the gateway has the run, and the next due time has come meanwhile.
  bench.restart();
  bench.runs.failure = null;
  await bench.pass(MINUTE_MS);
  await bench.pass(1);
  const { state } = await bench.job();
  assert.deepEqual(
    state.runHistory.map(({ outcome, dueAtMs }) => [outcome, (dueAtMs ?? 0) - NOON_MS]),
    [["late", MINUTE_MS], ["ran", 2 * MINUTE_MS]],
  );
  assert.equal(bench.runs.ids.length, 2);
});
