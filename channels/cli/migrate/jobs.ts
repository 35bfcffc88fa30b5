/**
 * Jobs at set times on their way into `cron/jobs.json`.
 * @module
 */

import { readJob } from "../../../actors/automation/job.ts";
import { JobBook } from "../../../actors/automation/job_book.ts";
import { own, withKey } from "../../../actors/config/tree.ts";
import { isList, isObject, type JsonObject, type JsonValue } from "../../../actors/kernel/json.ts";
import type { PlanDraft, PlannedJob } from "./plan.ts";

/** Where jobs come from, and how their times are meant. */
export interface JobSource {
  /** The file's path, for the report. */
  readonly from: string;
  readonly nowMs: number;
}

/** IANA name that stands in where a job names none, only to check it. */
const ANY_ZONE = "UTC";

/** The jobs of a file's text; nothing where it cannot be read, which is noted. */
export function jobsIn(text: string, from: string, draft: PlanDraft): readonly JsonObject[] {
  const value = parse(text);
  const jobs = own(value, "jobs") ?? (isList(value) ? value : undefined);
  if (isList(jobs)) return jobs.filter(isObject);
  draft.leave("cron", from, ["unreadable", "it holds no list of jobs"]);
  return [];
}

/** Plans one job that is written as nanobot and we write them. */
export function planJob(raw: JsonObject, { from, nowMs }: JobSource, draft: PlanDraft): void {
  const fresh = withoutDueTime(raw);
  const read = readJob(fresh, ANY_ZONE);
  if (read.state === "broken") {
    draft.leave("cron", `${from}: ${nameOf(raw)}`, ["unreadable", read.problem]);
    return;
  }
  const { id, name, payload, schedule } = read.job;
  const what = `${from}: ${nameOf(raw)}`;
  if (payload.kind === "system_event") {
    draft.leave("cron", what, ["foreign", "each side plans its own such jobs"]);
  } else if (schedule.kind === "at" && schedule.atMs <= nowMs) {
    draft.leave("cron", what, ["foreign", "its time has passed"]);
  } else if (draft.jobs.some((job) => job.id === id)) {
    draft.leave("cron", what, ["taken", `another job has the id ${id} too`]);
  } else {
    if (schedule.kind === "cron" && typeof own(raw["schedule"], "tz") !== "string") {
      const zone = "has no time zone of its own; agents.defaults.timezone counts";
      draft.notes.push(`Job "${name === "" ? id : name}" ${zone}`);
    }
    draft.jobs.push({ from, id, raw: fresh });
  }
}

/** What a job is called in a report. */
export function nameOf(raw: JsonObject): string {
  const { name, id, jobId } = raw;
  const called = [name, id, jobId].find((value) => typeof value === "string" && value !== "");
  return typeof called === "string" ? called : "a job without a name";
}

/** The file with further jobs, and which of them were there; null when it cannot be read. */
export function withJobs(
  text: string | null,
  jobs: readonly PlannedJob[],
):
  | { readonly text: string; readonly added: readonly string[]; readonly there: readonly string[] }
  | null {
  const file = text === null || text.trim() === "" ? { version: 1, jobs: [] } : parse(text);
  const present = own(file, "jobs");
  if (!isObject(file) || !isList(present) || JobBook.read(text ?? "{}", ANY_ZONE).state !== "ok") {
    return null;
  }
  const ids = new Set(present.map((job) => own(job, "id")));
  const fresh = jobs.filter(({ id }) => !ids.has(id));
  const all = withKey(file, "jobs", [...present, ...fresh.map(({ raw }) => raw)]);
  return {
    text: `${JSON.stringify(all, null, 2)}\n`,
    added: fresh.map(({ id }) => id),
    there: jobs.filter(({ id }) => ids.has(id)).map(({ id }) => id),
  };
}

/** A job that was due in between is not made up for: the next time counts. */
function withoutDueTime(raw: JsonObject): JsonObject {
  const { state } = raw;
  if (!isObject(state)) return raw;
  return withKey(raw, "state", withKey(withKey(state, "nextRunAtMs", null), "underWay", null));
}

function parse(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text.replace(/^\uFEFF/, ""));
    return value;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
