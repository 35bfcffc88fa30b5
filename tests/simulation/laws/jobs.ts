/**
 * Laws about jobs: whatever dies when, each due time is accounted for once, and what the file says
 * of it is what has happened.
 * @module
 */

import { LATE_MS } from "../../../actors/automation/due_runs.ts";
import type { RunRecord } from "../../../actors/automation/job.ts";
import { cronInputId, type Inbound, SYSTEM_CHANNEL } from "../../../actors/journal/journal.ts";
import type { PlannedJob } from "../jobs.ts";
import type { FinishedWorld } from "../world.ts";
import { JOBS_PAUSED_MS } from "../plan.ts";
import type { Law } from "./law.ts";

/** A due time so short before the pause may count as well as not. */
const UNSURE_MS = 60_000;

/** The due times that must be accounted for. */
function dueTimes(job: PlannedJob, world: FinishedWorld): number[] {
  const { firstMs, everyMs } = job;
  const { startMs } = world;
  const untilMs = sureUntilMs(job, world) - startMs;
  const times: number[] = [];
  for (let dueMs = firstMs; dueMs < untilMs; dueMs += everyMs ?? Infinity) {
    times.push(startMs + dueMs);
  }
  return times;
}

/** What falls due during a run is told of when the next one begins, and a paused job has none. */
function sureUntilMs({ id, missedRuns }: PlannedJob, world: FinishedWorld): number {
  const { startMs, plan, watch, jobs } = world;
  const untilMs = startMs + plan.calmFromMs + JOBS_PAUSED_MS - UNSURE_MS;
  const last = [...watch.inbounds.values()]
    .findLast(({ row }) => row.platformId.startsWith(`cron:${id}:`));
  if (last === undefined || (last.endedAtMs ?? Infinity) < untilMs) return untilMs;
  // Where each is made up for, those that fell due before that run began follow it one by one.
  if (missedRuns === "all") return Math.min(untilMs, dueMsOf(last.row) + 1);
  const begunAtMs = jobs.jobs.find((job) => job.id === id)?.state.lastRunAtMs;
  return Math.min(untilMs, begunAtMs ?? last.row.acceptedAtMs);
}

function dueMsOf({ platformId }: Inbound): number {
  return Number(platformId.slice(platformId.lastIndexOf(":") + 1));
}

/** The due times that a record stands for. */
function timesOf({ dueAtMs, count }: RunRecord, { everyMs }: PlannedJob): number[] {
  if (dueAtMs === null) return [];
  return Array.from({ length: count }, (_, index) => dueAtMs + index * (everyMs ?? 0));
}

function hasRun({ outcome }: RunRecord): boolean {
  return outcome === "ran" || outcome === "late";
}

/** Each due time stands in the history once: it ran, was late, was missed or was refused. */
function accountsForEachDueTime(world: FinishedWorld): string[] {
  return world.plan.jobs.filter(({ everyMs }) => everyMs !== null).flatMap((job) => {
    const records = [...world.jobs.records.get(job.id)?.values() ?? []];
    const told = records.flatMap((record) => timesOf(record, job));
    const counts = Map.groupBy(told, (dueMs) => dueMs);
    const wrong = new Set(dueTimes(job, world).filter((dueMs) => !counts.has(dueMs)));
    const twice = [...counts].filter(([, { length }]) => length > 1);
    return [
      ...[...wrong].map((dueMs) => `${job.id} says nothing of ${at(dueMs, world)}`),
      ...twice.map(([dueMs, { length }]) =>
        `${job.id} tells ${length} times of ${at(dueMs, world)}`
      ),
    ];
  });
}

/** What ran was taken in, and what was taken in is said to have run. */
function saysOfEachRunWhatHappened({ jobs, watch, ...world }: FinishedWorld): string[] {
  const taken = new Map(
    [...watch.inbounds.values()].filter(({ row }) => row.channel === SYSTEM_CHANNEL)
      .map(({ row }) => [row.platformId, row]),
  );
  return world.plan.jobs.filter(({ everyMs }) => everyMs !== null).flatMap((job) => {
    const records = [...jobs.records.get(job.id)?.values() ?? []].filter(hasRun);
    const said = new Map(
      records.map((record) => [cronInputId(job.id, record.dueAtMs ?? 0), record]),
    );
    const ran = [...taken.keys()].filter((id) => id.startsWith(`cron:${job.id}:`));
    const wrong = [...said].filter(([id, record]) => {
      const row = taken.get(id);
      if (row === undefined || isEndUnknown(row, record, world.plan)) return false;
      return (row.state === "done") !== (record.status === "ok");
    });
    return [
      ...ran.filter((id) => !said.has(id)).map((id) => `${id} ran, and nothing says so`),
      ...[...said.keys()].filter((id) => !taken.has(id)).map((id) => `${id} never ran`),
      ...wrong.map(([id]) => `${id} came to another end than is said`),
    ];
  });
}

/**
 * The journal had forgotten how the run ended when the file could be written again: nothing but its
 * id was known, and so not how long it took.
 */
function isEndUnknown(
  { state }: Inbound,
  { status, durationMs }: RunRecord,
  { retention }: FinishedWorld["plan"],
): boolean {
  return retention !== undefined && state === "stopped" && status === "ok" && durationMs === 0;
}

/** What is due once runs once, and is gone; or is missed once, where it is not to be late. */
function runsSingleTimesOnce({ plan, jobs, watch, startMs }: FinishedWorld): string[] {
  return plan.jobs.filter(({ everyMs }) => everyMs === null).flatMap((job) => {
    const { id, firstMs } = job;
    const records = [...jobs.records.get(id)?.values() ?? []];
    const missed = records.filter(({ outcome }) => outcome === "missed");
    const runs = [...watch.inbounds.values()]
      .filter(({ row }) => row.platformId.startsWith(`cron:${id}:`));
    if (job.missedRuns === "skip" && missed.length > 0) {
      const [{ runAtMs, dueAtMs } = { runAtMs: 0, dueAtMs: 0 }] = missed;
      const isRight = records.length === 1 && runs.length === 0 && dueAtMs === startMs + firstMs &&
        runAtMs - dueAtMs > LATE_MS;
      return isRight ? [] : [`${id} was missed, and ran ${runs.length} times`];
    }
    const isRight = runs.length === 1 &&
      runs[0]?.row.platformId === cronInputId(id, startMs + firstMs);
    return [
      ...(isRight ? [] : [`${id} ran ${runs.length} times`]),
      ...(jobs.jobs.some((job) => job.id === id) ? [`${id} is still there`] : []),
    ];
  });
}

/** No run begins before the one before it has ended. */
function runsNeverOverlap({ plan, watch }: FinishedWorld): string[] {
  return plan.jobs.flatMap(({ id }) => {
    const runs = [...watch.inbounds.values()]
      .filter(({ row }) => row.platformId.startsWith(`cron:${id}:`));
    return runs.flatMap(({ row }, index) => {
      const before = runs[index - 1];
      const isOver = before === undefined || (before.endedAtMs ?? Infinity) <= row.acceptedAtMs;
      return isOver ? [] : [`${row.platformId} began during ${before.row.platformId}`];
    });
  });
}

function at(dueMs: number, { startMs }: FinishedWorld): string {
  return `+${dueMs - startMs} ms`;
}

/** By their names. */
export const jobLaws: Readonly<Record<string, Law>> = {
  accountsForEachDueTime,
  saysOfEachRunWhatHappened,
  runsSingleTimesOnce,
  runsNeverOverlap,
};
