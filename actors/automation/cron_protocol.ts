/**
 * What the cron actor can be told, and what it answers.
 * @module
 */

import type { JsonObject } from "../kernel/json.ts";
import type { ReplyTo } from "../kernel/ref.ts";
import type { MissedPolicy } from "./due_runs.ts";
import type { Job } from "./job.ts";

/** Who asks. */
export interface Requester {
  /** `channel:sender`; null when nobody knows: the machine's own people, or a part of the gateway. */
  readonly address: string | null;
  /** May do with the jobs of others what they like. */
  readonly isOwner: boolean;
  /** The chat it is asked in, if it is one. */
  readonly chat: { readonly channel: string; readonly chatId: string } | null;
}

/** A schedule as it was written; exactly one of the three. */
export interface WrittenSchedule {
  readonly everySeconds?: number | undefined;
  readonly expr?: string | undefined;
  /** Of `expr`, and of an `at` without offset. @default the assistant's own */
  readonly tz?: string | undefined;
  /** ISO, or `+20m`. */
  readonly at?: string | undefined;
}

/** A job that is to be made. */
export interface JobDraft {
  readonly name?: string | undefined;
  readonly message: string;
  readonly schedule: WrittenSchedule;
  readonly deliver: boolean;
  readonly channel: string | null;
  readonly to: string | null;
  readonly sessionKey: string | null;
  /** What its channel needs to answer in the thread that it belongs to. @default it is in none */
  readonly context?: JsonObject | undefined;
  readonly missedRuns?: MissedPolicy | undefined;
  /** @default whether it is a single time */
  readonly deleteAfterRun?: boolean | undefined;
}

/** What is to be different about a job; what is left out stays. */
export interface JobChange {
  readonly name?: string | undefined;
  readonly message?: string | undefined;
  readonly schedule?: WrittenSchedule | undefined;
  readonly deliver?: boolean | undefined;
  readonly missedRuns?: MissedPolicy | undefined;
  readonly enabled?: boolean | undefined;
}

/** What became of a wish; a reason is a whole sentence. */
export type CronAnswer =
  | {
    readonly state: "done";
    /** As it is now, or was before it was removed. */
    readonly job: Job;
    /** The next due times, up to three. */
    readonly nextMs: readonly number[];
  }
  | {
    readonly state: "refused";
    /** `missing`: no such job; `protected`: not for the one who asks. */
    readonly why: "invalid" | "missing" | "protected" | "full" | "unusable";
    readonly reason: string;
  };

/** The jobs that somebody may see. */
export interface JobList {
  readonly jobs: readonly Job[];
  /** Entries of the file that cannot be used, one sentence each. */
  readonly problems: readonly string[];
}

/** How it stands with the jobs. */
export interface CronReport {
  readonly jobs: number;
  readonly enabled: number;
  readonly underWay: number;
  readonly nextDueMs: number | null;
  /** Why jobs cannot be kept just now; null when they can. */
  readonly trouble: string | null;
}

/** What can be asked. */
export type CronMessage =
  | {
    readonly type: "add_job";
    readonly draft: JobDraft;
    readonly by: Requester;
    readonly replyTo: ReplyTo<CronAnswer>;
  }
  | {
    readonly type: "change_job";
    readonly id: string;
    readonly change: JobChange;
    readonly by: Requester;
    readonly replyTo: ReplyTo<CronAnswer>;
  }
  | {
    readonly type: "remove_job";
    readonly id: string;
    readonly by: Requester;
    readonly replyTo: ReplyTo<CronAnswer>;
  }
  /** Runs a job now, beside its schedule. */
  | {
    readonly type: "run_job";
    readonly id: string;
    /** Also when it is paused. */
    readonly isForced: boolean;
    readonly by: Requester;
    readonly replyTo: ReplyTo<CronAnswer>;
  }
  | { readonly type: "list_jobs"; readonly by: Requester; readonly replyTo: ReplyTo<JobList> }
  | { readonly type: "report_cron"; readonly replyTo: ReplyTo<CronReport> };
