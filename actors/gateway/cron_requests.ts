/**
 * What can be asked about jobs at the control door.
 * @module
 */

import { z } from "zod";
import type { JobChange, JobDraft } from "../automation/cron_protocol.ts";
import { type Job, readJob, writeJob } from "../automation/job.ts";
import type { JsonObject } from "../kernel/json.ts";
import { type ControlRequest, query } from "./control.ts";

/** What the people of the machine want of the jobs. */
export type CronErrand =
  | { readonly action: "list" }
  | { readonly action: "add"; readonly draft: JobDraft }
  | { readonly action: "change"; readonly id: string; readonly change: JobChange }
  | { readonly action: "remove"; readonly id: string }
  | { readonly action: "run"; readonly id: string; readonly isForced: boolean };

/** What came of it. */
export interface CronErrandResult {
  readonly state: "done" | "refused";
  /** Why it was refused, as a sentence. */
  readonly reason: string | null;
  /** The job it was about, or all, as in the file. */
  readonly jobs: readonly JsonObject[];
  /** The next due times of the job. */
  readonly nextMs: readonly number[];
  /** What is wrong with the file. */
  readonly problems: readonly string[];
}

const schedule = z.object({
  everySeconds: z.number().optional(),
  expr: z.string().optional(),
  tz: z.string().optional(),
  at: z.string().optional(),
});
const missedRuns = z.enum(["skip", "once", "all"]).optional();

const draft = z.object({
  name: z.string().optional(),
  message: z.string(),
  schedule,
  deliver: z.boolean(),
  channel: z.string().nullable(),
  to: z.string().nullable(),
  sessionKey: z.string().nullable(),
  missedRuns,
  deleteAfterRun: z.boolean().optional(),
});

const change = z.object({
  name: z.string().optional(),
  message: z.string().optional(),
  schedule: schedule.optional(),
  deliver: z.boolean().optional(),
  missedRuns,
  enabled: z.boolean().optional(),
});

const id = z.string().min(1);

const errand: z.ZodType<CronErrand> = z.discriminatedUnion("action", [
  z.object({ action: z.literal("list") }),
  z.object({ action: z.literal("add"), draft }),
  z.object({ action: z.literal("change"), id, change }),
  z.object({ action: z.literal("remove"), id }),
  z.object({ action: z.literal("run"), id, isForced: z.boolean() }),
]);

const result: z.ZodType<CronErrandResult> = z.object({
  state: z.enum(["done", "refused"]),
  reason: z.string().nullable(),
  jobs: z.array(z.record(z.string(), z.json())),
  nextMs: z.array(z.number()),
  problems: z.array(z.string()),
});

/** Looks at jobs, or changes one. */
export const cronRequest: ControlRequest<CronErrand, CronErrandResult> = query("cron", {
  params: errand,
  result,
});

/** Jobs as they go over the wire: as in the file. */
export function jobsToWire(jobs: readonly Job[]): readonly JsonObject[] {
  return jobs.map(writeJob);
}

/** Jobs as they came over the wire. @param timezone of expressions that name none */
export function jobsFromWire(jobs: readonly JsonObject[], timezone: string): readonly Job[] {
  return jobs.flatMap((raw) => {
    const read = readJob(raw, timezone);
    return read.state === "ok" ? [read.job] : [];
  });
}
