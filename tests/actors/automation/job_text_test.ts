import assert from "node:assert/strict";
import { listText } from "../../../actors/automation/cron_tool_desk.ts";
import { FRESH_STATE, type Job, type JobState } from "../../../actors/automation/job.ts";
import { dueText, jobLines, recordText, timingText } from "../../../actors/automation/job_text.ts";
import type { Schedule } from "../../../actors/automation/schedule.ts";

const AT_MS = Date.UTC(2026, 5, 2, 0);
const HOUR_MS = 3_600_000;
const DAILY: Schedule = { kind: "cron", expr: "0 9 * * *", tz: "Asia/Shanghai" };

function jobWith(state: Partial<JobState>, change: Partial<Job> = {}): Job {
  return {
    ...{ id: "a1b2c3d4", name: "Tea", enabled: true, schedule: DAILY, missedRuns: "once" },
    ...{ createdAtMs: 0, updatedAtMs: 0, deleteAfterRun: false, raw: {} },
    payload: {
      ...{ kind: "agent_turn", message: "Make tea", deliver: true, channel: "probe", to: "1" },
      ...{ sessionKey: null, context: null, createdBy: null },
    },
    state: { ...FRESH_STATE, ...state },
    ...change,
  };
}

Deno.test.each<[Schedule, string, string]>([
  [{ kind: "every", everyMs: 2 * HOUR_MS }, "UTC", "every 2h"],
  [{ kind: "every", everyMs: 1_800_000 }, "UTC", "every 30m"],
  [{ kind: "every", everyMs: 90_000 }, "UTC", "every 90s"],
  [{ kind: "every", everyMs: 200 }, "UTC", "every 200ms"],
  [DAILY, "UTC", "cron: 0 9 * * * (Asia/Shanghai)"],
  [{ kind: "at", atMs: AT_MS }, "UTC", "at 2026-06-02T00:00:00+00:00 (UTC)"],
  [
    { kind: "at", atMs: AT_MS },
    "Asia/Shanghai",
    "at 2026-06-02T08:00:00+08:00 (Asia/Shanghai)",
  ],
])("The schedule %j in %s reads %s", (schedule, zone, expected) => {
  assert.equal(timingText(schedule, zone), expected);
});

Deno.test.each<[string, Partial<JobState>, string[]]>([
  ["nothing yet", {}, []],
  ["a good run", { lastRunAtMs: AT_MS, lastStatus: "ok" }, [
    "  Last run: 2026-06-02T08:00:00+08:00, ok",
  ]],
  ["a bad run", { lastRunAtMs: AT_MS, lastStatus: "error", lastError: "the turn\nfailed" }, [
    "  Last run: 2026-06-02T08:00:00+08:00, error (the turn failed)",
  ]],
  ["a next run", { nextRunAtMs: AT_MS }, ["  Next run: 2026-06-02T08:00:00+08:00"]],
  ["a run missed before any", { lastStatus: "skipped", lastError: "off" }, [
    "  never ran, skipped (off)",
  ]],
  ["all of it", {
    lastRunAtMs: AT_MS,
    lastStatus: "ok",
    nextRunAtMs: AT_MS + 24 * HOUR_MS,
    underWay: { dueMs: AT_MS, startedAtMs: AT_MS, isLate: false, isManual: false },
  }, [
    "  Last run: 2026-06-02T08:00:00+08:00, ok",
    "  A run is under way",
    "  Next run: 2026-06-03T08:00:00+08:00",
  ]],
])("A list tells %s of a job in its zone", (_what, state, expected) => {
  const [head, ...lines] = jobLines(jobWith(state), "UTC");
  assert.equal(head, "- Tea (a1b2c3d4, cron: 0 9 * * * (Asia/Shanghai))");
  assert.deepEqual(lines, expected);
});

Deno.test("A list shows what is paused and what is protected, and an empty one says so", () => {
  assert.equal(listText({ jobs: [], problems: [] }, "UTC"), "No jobs are scheduled.");
  const job = jobWith({});
  const own = jobWith({}, { id: "dream", payload: { ...job.payload, kind: "system_event" } });
  const text = listText(
    { jobs: [jobWith({}, { enabled: false }), own], problems: ["Odd."] },
    "UTC",
  );
  assert.match(
    text,
    /^Jobs:\n- Tea \(a1b2c3d4, .*, paused\)\n- Tea \(dream, [^]*Protected: .*\nOdd\.$/,
  );
});

Deno.test("A record says what became of a due time", () => {
  const record = {
    ...{ runAtMs: AT_MS + HOUR_MS, status: "ok", durationMs: 2_000, error: null } as const,
    ...{ outcome: "late", dueAtMs: AT_MS, count: 1 } as const,
  };
  assert.equal(
    recordText(record, "UTC"),
    "2026-06-02T01:00:00+00:00  late, ok in 2s due 2026-06-02T00:00:00+00:00",
  );
});

Deno.test("A run is told why it comes, that it is late, and where its answer goes", () => {
  const scene = { dueMs: AT_MS, nowMs: AT_MS, isLate: false, isManual: false, passedOver: null };
  const inChat = { ...scene, isDelivered: true, timezone: "UTC" };
  assert.match(
    dueText(jobWith({}), inChat),
    /due 2026-06-02T08:00:00\+08:00\][^]*sent to this chat[^]*Make tea$/,
  );
  const late = { ...inChat, isLate: true, nowMs: AT_MS + 3 * HOUR_MS, isDelivered: false };
  assert.match(dueText(jobWith({}), late), /, 3 h ago\]\nIt is late[^]*only stored/);
  const passedOver = { count: 4, isMore: false, firstMs: AT_MS, lastMs: AT_MS };
  assert.match(
    dueText(jobWith({}), { ...inChat, passedOver }),
    /Runs passed over before it: 4, from/,
  );
  assert.match(dueText(jobWith({}), { ...inChat, isManual: true }), /somebody asked to run it now/);
});
