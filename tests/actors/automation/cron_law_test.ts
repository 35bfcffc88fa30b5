import assert from "node:assert/strict";
import fc from "fast-check";
import type { MissedPolicy } from "../../../actors/automation/due_runs.ts";
import type { WrittenSchedule } from "../../../actors/automation/cron_protocol.ts";
import { loadSchedules, type Schedule } from "../../../actors/automation/schedule.ts";
import { CronBench } from "./_cron.ts";

const SCHEDULES = await loadSchedules();
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * Zones of both hemispheres, half hours and changes of law, each with ten years in which its
 * clocks did something.
 */
const ZONES: readonly (readonly [string, number, string, readonly string[]])[] = [
  ["Europe/Berlin", 2026, "SUN", ["2:15"]],
  ["America/New_York", 2026, "SUN", ["1:45", "2:15"]],
  ["Australia/Lord_Howe", 2026, "SUN", ["1:45", "2:15"]],
  ["America/Santiago", 2019, "SAT,SUN", ["0:00", "23:15"]],
  ["America/Sao_Paulo", 2010, "SAT,SUN", ["0:00", "23:15"]],
  ["Pacific/Apia", 2006, "FRI", ["3:30"]],
  ["Europe/Moscow", 2008, "SUN", ["2:15"]],
  ["Africa/Cairo", 2018, "FRI", ["0:00"]],
];

/** How a life of the gateway goes on: time passes, it restarts, it dies before it wrote. */
interface Act {
  readonly kind: "pass" | "restart" | "die" | "busy" | "back";
  readonly ms: number;
}

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom("pass", "pass", "pass", "restart", "die", "busy", "back"),
  ms: fc.oneof(
    fc.integer({ min: 1, max: HOUR_MS }),
    fc.integer({ min: HOUR_MS, max: 40 * DAY_MS }),
  ),
});

/** What became of each due time that a bench accounted for. */
class Ledger {
  readonly ran = new Map<number, number>();
  passedOver = 0;
  #seen = new Set<string>();

  read(bench: CronBench): void {
    for (const { state: { runHistory } } of bench.stored()) {
      for (const { runAtMs, dueAtMs, outcome, count } of runHistory) {
        const key = `${runAtMs} ${dueAtMs} ${outcome}`;
        if (this.#seen.has(key)) continue;
        this.#seen.add(key);
        if (outcome === "missed" || outcome === "refused") this.passedOver += count;
      }
    }
    for (const id of bench.runs.ids) {
      const dueMs = Number(id.split(":")[2]);
      this.ran.set(dueMs, 1);
    }
  }
}

async function live(
  bench: CronBench,
  acts: readonly Act[],
  ledger: Ledger,
): Promise<void> {
  let newestMs = bench.nowMs;
  for (const { kind, ms } of acts) {
    const before = bench.files.text;
    bench.runs.endsAs = kind === "busy" ? null : "done";
    // A clock that is wrong by hours, and then right again.
    if (kind === "back") bench.nowMs = Math.max(bench.nowMs - ms, newestMs - 20 * HOUR_MS);
    await bench.pass(kind === "back" ? 0 : ms);
    ledger.read(bench);
    if (kind === "die") bench.files.edit(before);
    if (kind === "die" || kind === "restart") bench.restart();
    bench.runs.end();
    await bench.pass(0);
    ledger.read(bench);
    newestMs = Math.max(newestMs, bench.nowMs);
  }
  bench.runs.endsAs = "done";
  bench.nowMs = newestMs;
  for (let look = 0; look < 4; look++) {
    await bench.pass(1);
    ledger.read(bench);
  }
}

Deno.test.each(ZONES)(
  "In %s each due time of ten years from %s runs once, on %s at %j",
  async (zone, year, days, times) => {
    const startMs = Date.UTC(year, 0, 1);
    const endMs = Date.UTC(year + 10, 0, 1);
    for (const time of times) {
      const [hour = 0, minute = 0] = time.split(":").map(Number);
      const bench = new CronBench(startMs, zone);
      await bench.add({ expr: `${minute} ${hour} * * ${days}` });
      for (;;) {
        bench.nowMs = bench.keeper.report.nextDueMs ?? Infinity;
        if (bench.nowMs >= endMs) break;
        await bench.keeper.look();
        await bench.keeper.look(); // it has ended
      }
      const got = bench.runs.ids.map((id) => Number(id.split(":")[2]));
      const expected = localTimes({ zone, hour, minute, days, startMs, endMs });
      assert.deepEqual(got.map(iso), expected.map(iso));
    }
  },
);

Deno.test("Whatever happens to the gateway, each due time is accounted for once", async () => {
  const schedules = fc.constantFrom(
    { kind: "every", everyMs: 10_000_000 } as const,
    { kind: "every", everyMs: 100_000_000 } as const,
    { kind: "cron", expr: "0 */6 * * *", tz: "Australia/Lord_Howe" } as const,
    { kind: "cron", expr: "30 2 * * *", tz: "America/New_York" } as const,
    { kind: "cron", expr: "0 0 1 * *", tz: "Asia/Kathmandu" } as const,
  );
  const policies = fc.constantFrom<MissedPolicy>("skip", "once", "all");
  const lives = fc.array(act, { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(schedules, policies, lives, async (schedule, missedRuns, acts) => {
      const startMs = Date.UTC(2026, 2, 1);
      const bench = new CronBench(startMs);
      const ledger = new Ledger();
      await bench.add(written(schedule), { missedRuns });
      await live(bench, acts, ledger);
      const untilMs = bench.stored()[0]?.state.nextRunAtMs ?? Infinity;
      const due = dueTimes(schedule, startMs, untilMs);
      const ran = [...ledger.ran.keys()];
      const dueSet = new Set(due);
      assert.ok(ran.every((dueMs) => dueSet.has(dueMs)), "only what is due runs");
      assert.equal(ran.length + ledger.passedOver, due.length);
      if (missedRuns !== "all") assert.ok(untilMs > bench.nowMs, "nothing waits");
    }),
    { numRuns: 50 },
  );
});

function written(schedule: Schedule): WrittenSchedule {
  if (schedule.kind === "cron") return { expr: schedule.expr, tz: schedule.tz };
  return schedule.kind === "every" ? { everySeconds: schedule.everyMs / 1_000 } : {};
}

/** The due times of a schedule after `startMs` and before `untilMs`. */
function dueTimes(schedule: Schedule, startMs: number, untilMs: number): number[] {
  const read = SCHEDULES.read(schedule, startMs);
  assert.ok(read.state === "ok");
  const due: number[] = [];
  for (let atMs = read.times.nextAfter(startMs); atMs !== null && atMs < untilMs;) {
    due.push(atMs);
    atMs = read.times.nextAfter(atMs);
  }
  return due;
}

interface Wanted {
  readonly zone: string;
  readonly hour: number;
  readonly minute: number;
  readonly days: string;
  readonly startMs: number;
  readonly endMs: number;
}

const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/**
 * The oracle: a time of day on each of the weekdays, found by trying offsets. Where it comes twice
 * the first counts; where clocks jump over it, the moment of the jump, if that is the same day.
 */
function localTimes({ zone, hour, minute, days, startMs, endMs }: Wanted): number[] {
  const wanted = new Set(days.split(","));
  const found: number[] = [];
  for (let dayMs = startMs - DAY_MS; dayMs <= endMs + DAY_MS; dayMs += DAY_MS) {
    const day = new Date(dayMs);
    if (!wanted.has(WEEKDAYS[day.getUTCDay()] ?? "")) continue;
    const wallMs = dayMs + hour * HOUR_MS + minute * MINUTE_MS;
    const atMs = instantOf(wallMs, dayMs, zone);
    if (atMs !== null && atMs > startMs && atMs < endMs) found.push(atMs);
  }
  return found;
}

function instantOf(wallMs: number, dayMs: number, zone: string): number | null {
  const offsets = [-36, -12, 12, 36].map((hours) => offsetAt(wallMs + hours * HOUR_MS, zone));
  const hits = offsets.map((offset) => wallMs - offset)
    .filter((atMs) => atMs + offsetAt(atMs, zone) === wallMs);
  if (hits.length > 0) return Math.min(...hits);
  let before = wallMs - 36 * HOUR_MS;
  let after = wallMs + 36 * HOUR_MS;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (middle + offsetAt(middle, zone) < wallMs) before = middle;
    else after = middle;
  }
  const landed = after + offsetAt(after, zone);
  return Math.floor(landed / DAY_MS) * DAY_MS === dayMs ? after : null;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function offsetAt(atMs: number, zone: string): number {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat("en-GB", {
    ...{ timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  formats.set(zone, format);
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, +value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const wallMs = Date.UTC(
    ...[part("year"), part("month") - 1, part("day")] as const,
    ...[part("hour"), part("minute"), part("second")] as const,
  );
  return wallMs - Math.floor(atMs / 1_000) * 1_000;
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
