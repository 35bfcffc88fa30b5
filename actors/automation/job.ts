/**
 * A job as it stands in `cron/jobs.json`: the fields of nanobot's file, a few of our own beside
 * them, and whatever else a person or another program wrote there.
 * @module
 */

import { z } from "zod";
import { isObject, type JsonObject, type JsonValue } from "../kernel/json.ts";
import type { MissedPolicy } from "./due_runs.ts";
import type { Schedule } from "./schedule.ts";

/** How a due run came out: on time, after its time, passed over, or not possible. */
export type RunOutcome = "ran" | "late" | "missed" | "refused";

/** A due run that is accounted for, or several in a row that were passed over. */
export interface RunRecord {
  /** When it began, or was found to be passed over. */
  readonly runAtMs: number;
  readonly status: "ok" | "error" | "skipped";
  readonly durationMs: number;
  readonly error: string | null;
  /** Null in what nanobot wrote. */
  readonly outcome: RunOutcome | null;
  /** When it was due; of several, the first. */
  readonly dueAtMs: number | null;
  /** How many due times it stands for. */
  readonly count: number;
}

/** The run that is under way. */
export interface RunUnderWay {
  readonly dueMs: number;
  readonly startedAtMs: number;
  readonly isLate: boolean;
  /** A person asked for it: it is no due time. */
  readonly isManual: boolean;
}

/** What the gateway knows of a job. */
export interface JobState {
  /** The first due time that is not accounted for. */
  readonly nextRunAtMs: number | null;
  readonly lastRunAtMs: number | null;
  readonly lastStatus: "ok" | "error" | "skipped" | null;
  readonly lastError: string | null;
  /** The oldest first. */
  readonly runHistory: readonly RunRecord[];
  /** The schedule that `nextRunAtMs` was computed from; null in nanobot's files. */
  readonly scheduleKey: string | null;
  readonly underWay: RunUnderWay | null;
}

/** What a job does, and who hears of it. */
export interface JobPayload {
  /** `system_event`: a job of the gateway itself, which nobody can remove. */
  readonly kind: "agent_turn" | "system_event";
  readonly message: string;
  /** The answer goes to the chat. */
  readonly deliver: boolean;
  readonly channel: string | null;
  readonly to: string | null;
  /** The conversation it belongs to. @default that of its chat */
  readonly sessionKey: string | null;
  /** What its channel needs to answer in the thread where it was made; null: it was in none. */
  readonly context: JsonObject | null;
  /** Who made it, as `channel:sender`; null when nobody knows. */
  readonly createdBy: string | null;
}

/** A job. */
export interface Job {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly schedule: Schedule;
  readonly payload: JobPayload;
  readonly missedRuns: MissedPolicy;
  readonly state: JobState;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly deleteAfterRun: boolean;
  /** The object it was read from, for what we do not know of it. */
  readonly raw: JsonObject;
}

/** Runs that a history keeps. */
export const HISTORY_MAX = 20;

/** The state of a job that was never due. */
export const FRESH_STATE: JobState = {
  nextRunAtMs: null,
  lastRunAtMs: null,
  lastStatus: null,
  lastError: null,
  runHistory: [],
  scheduleKey: null,
  underWay: null,
};

const TIME_MAX_MS = 8_640_000_000_000_000;
const instant = z.number().min(-TIME_MAX_MS).max(TIME_MAX_MS);
const instantOrNull = instant.nullish().transform((ms) => ms ?? null).catch(null);
const textOrNull = z.string().nullish().transform((text) => text ?? null);
const status = z.enum(["ok", "error", "skipped"]);

const runRecord: z.ZodType<RunRecord> = z.object({
  runAtMs: instant,
  status,
  durationMs: z.number().catch(0),
  error: textOrNull.catch(null),
  outcome: z.enum(["ran", "late", "missed", "refused"]).nullable().catch(null),
  dueAtMs: instantOrNull,
  count: z.int().min(1).catch(1),
});

const underWay: z.ZodType<RunUnderWay> = z.object({
  dueMs: instant,
  startedAtMs: instant,
  isLate: z.boolean().catch(false),
  isManual: z.boolean().catch(false),
});

/** What cannot be read of a state is as if it had never been: the schedule says what is due. */
const state: z.ZodType<JobState> = z.object({
  nextRunAtMs: instantOrNull,
  lastRunAtMs: instantOrNull,
  lastStatus: status.nullable().catch(null),
  lastError: textOrNull.catch(null),
  runHistory: z.array(z.unknown()).catch([]).transform((entries) =>
    entries.flatMap((entry) => runRecord.safeParse(entry).data ?? []).slice(-HISTORY_MAX)
  ),
  scheduleKey: textOrNull.catch(null),
  underWay: underWay.nullable().catch(null),
}).catch(() => ({ ...FRESH_STATE, runHistory: [] }));

const payload: z.ZodType<JobPayload> = z.object({
  kind: z.enum(["agent_turn", "system_event"]).default("agent_turn"),
  message: z.string().default(""),
  deliver: z.boolean().default(false),
  channel: textOrNull,
  to: textOrNull,
  sessionKey: textOrNull,
  context: z.record(z.string(), z.json()).nullish().transform((fields) => fields ?? null)
    .catch(null),
  createdBy: textOrNull,
});

/** An interval that fits in a timer's arithmetic and in a life. */
const everyMs = z.number().gt(0).max(TIME_MAX_MS);

const job = z.object({
  id: z.string().min(1),
  name: z.string().default(""),
  enabled: z.boolean().default(true),
  schedule: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("at"), atMs: instant }),
    z.object({ kind: z.literal("every"), everyMs }),
    z.object({
      kind: z.literal("cron"),
      expr: z.string(),
      tz: z.string().nullish(),
    }),
  ]),
  payload: payload.prefault({}),
  missedRuns: z.enum(["skip", "once", "all"]).default("once"),
  state: state.default(FRESH_STATE),
  createdAtMs: instant.catch(0),
  updatedAtMs: instant.catch(0),
  deleteAfterRun: z.boolean().default(false),
});

/** A job that was read, or what is wrong with it. */
export type ReadJob =
  | { readonly state: "ok"; readonly job: Job }
  | { readonly state: "broken"; readonly id: string; readonly problem: string };

/** Reads one entry of the file. @param timezone of cron expressions that name none */
export function readJob(raw: JsonObject, timezone: string): ReadJob {
  const parsed = job.safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join(".") ?? "";
    const id = typeof raw["id"] === "string" ? raw["id"] : "";
    return { state: "broken", id, problem: `${where}: ${issue?.message ?? "cannot be read"}` };
  }
  const { schedule } = parsed.data;
  return {
    state: "ok",
    job: {
      ...parsed.data,
      raw,
      schedule: schedule.kind === "cron"
        ? { kind: "cron", expr: schedule.expr, tz: schedule.tz ?? timezone }
        : schedule,
    },
  };
}

/** The entry of a job, in the order of nanobot's fields; fields that we do not know stay. */
export function writeJob(job: Job): JsonObject {
  const { schedule, payload, state, raw } = job;
  return {
    ...raw,
    id: job.id,
    name: job.name,
    enabled: job.enabled,
    schedule: {
      ...nested(raw["schedule"]),
      kind: schedule.kind,
      atMs: schedule.kind === "at" ? schedule.atMs : null,
      everyMs: schedule.kind === "every" ? schedule.everyMs : null,
      expr: schedule.kind === "cron" ? schedule.expr : null,
      tz: schedule.kind === "cron" ? schedule.tz : null,
    },
    payload: { ...nested(raw["payload"]), ...payload },
    state: {
      ...nested(raw["state"]),
      nextRunAtMs: state.nextRunAtMs,
      lastRunAtMs: state.lastRunAtMs,
      lastStatus: state.lastStatus,
      lastError: state.lastError,
      runHistory: state.runHistory.map((record) => ({ ...record })),
      scheduleKey: state.scheduleKey,
      underWay: state.underWay === null ? null : { ...state.underWay },
    },
    missedRuns: job.missedRuns,
    createdAtMs: job.createdAtMs,
    updatedAtMs: job.updatedAtMs,
    deleteAfterRun: job.deleteAfterRun,
  };
}

/** A state with one more record. */
export function withRecord(state: JobState, record: RunRecord): JobState {
  return {
    ...state,
    lastStatus: record.status,
    lastError: record.error,
    runHistory: [...state.runHistory, record].slice(-HISTORY_MAX),
  };
}

/** The fields of an object; none of anything else. */
function nested(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
