/**
 * The jobs as the model sees and changes them, through the tool `cron`.
 * @module
 */

import { unreachable } from "../kernel/invariant.ts";
import { localIso } from "../kernel/local_time.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { CronDesk, CronToolAnswer, CronToolRequest } from "../tools/cron.ts";
import type { ToolOrigin } from "../tools/tool.ts";
import type {
  CronAnswer,
  CronMessage,
  JobList,
  Requester,
  WrittenSchedule,
} from "./cron_protocol.ts";
import type { Job } from "./job.ts";
import { jobLines, timingText, zoneOf } from "./job_text.ts";

const ANSWER_MS = 20_000;
/** Who sits at the machine may do everything. */
const TERMINAL = "cli";

/** What the desk works with. */
export interface CronToolDeskOptions {
  /** Undefined before the actor has started. */
  readonly cron: () => ActorRef<CronMessage> | undefined;
  readonly timezone: string;
  readonly isOwner: (sender: { readonly channel: string; readonly senderId: string }) => boolean;
}

/** Makes the desk. */
export function cronToolDesk(options: CronToolDeskOptions): CronDesk {
  return async (request, { origin, signal }) => {
    const cron = options.cron();
    if (cron === undefined) return { state: "problem", problem: "Cannot reach the jobs just now" };
    const by = requesterOf(origin, options);
    const ask = { timeoutMs: ANSWER_MS, signal };
    if (request.action === "list") {
      const list = await cron.ask<JobList>((replyTo) => ({ type: "list_jobs", by, replyTo }), ask);
      return { state: "done", text: listText(list, options.timezone) };
    }
    const answer = await cron.ask<CronAnswer>(
      (replyTo) => ({ ...wish(request, origin), by, replyTo }),
      ask,
    );
    return told(request, answer, options.timezone);
  };
}

/** What a chat's jobs look like to the model. */
export function listText({ jobs, problems }: JobList, timezone: string): string {
  const lines = [...jobs.flatMap((job) => jobLines(job, timezone)), ...problems];
  return lines.length === 0 ? "No jobs are scheduled." : ["Jobs:", ...lines].join("\n");
}

/** Only people are known: what comes from inside may touch what belongs to its chat. */
function requesterOf(
  { channel, chatId, senderId, source }: ToolOrigin,
  { isOwner }: CronToolDeskOptions,
): Requester {
  const chat = { channel, chatId };
  if (source !== undefined || senderId === undefined) {
    return { address: null, isOwner: false, chat };
  }
  const address = `${channel}:${senderId}`;
  return { address, isOwner: channel === TERMINAL || isOwner({ channel, senderId }), chat };
}

type Wish = DistributiveOmit<
  Exclude<CronMessage, { readonly type: "list_jobs" | "report_cron" }>,
  "by" | "replyTo"
>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

function wish(request: CronToolRequest, origin: ToolOrigin): Wish {
  const { channel, chatId, sessionKey } = origin;
  const { action, name, message, deliver, missed: missedRuns, job_id: id = "" } = request;
  const schedule = scheduleOf(request);
  switch (action) {
    case "add":
      return {
        type: "add_job",
        draft: {
          ...{ name, message: message ?? "", deliver: deliver ?? true, missedRuns },
          schedule: schedule ?? {},
          ...{ channel, to: chatId },
          sessionKey: isInChat(origin) ? sessionKey : null,
          context: isInThread(origin) ? origin.context : undefined,
        },
      };
    case "update": {
      const change = { name, message, deliver, missedRuns, schedule };
      return { type: "change_job", id, change };
    }
    case "pause":
    case "resume":
      return { type: "change_job", id, change: { enabled: action === "resume" } };
    case "remove":
      return { type: "remove_job", id };
    case "run":
      return { type: "run_job", id, isForced: true };
    case "list":
      throw new TypeError("a list is no wish");
    default:
      return unreachable(action);
  }
}

/** The heartbeat has a conversation that nobody reads; jobs make no jobs. */
function isInChat({ source }: ToolOrigin): boolean {
  return source === undefined || source === "subagent";
}

/** A thread's conversation is named after its chat. Elsewhere answers go to the chat's end. */
function isInThread(origin: ToolOrigin): boolean {
  const { channel, chatId, sessionKey } = origin;
  return isInChat(origin) && sessionKey.startsWith(`${channel}:${chatId}:`);
}

function scheduleOf(request: CronToolRequest): WrittenSchedule | undefined {
  const { every_seconds: everySeconds, cron_expr: expr, at, tz } = request;
  // Models fill in what they do not mean with blanks.
  const written = {
    everySeconds: everySeconds === 0 && hasText(expr ?? at) ? undefined : everySeconds,
    expr: hasText(expr) ? expr : undefined,
    at: hasText(at) ? at : undefined,
    tz: hasText(tz) ? tz : undefined,
  };
  const isGiven = Object.values(written).some((value) => value !== undefined);
  return isGiven ? written : undefined;
}

function hasText(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== "";
}

function told(
  { action }: CronToolRequest,
  answer: CronAnswer,
  timezone: string,
): CronToolAnswer {
  if (answer.state === "refused") return { state: "problem", problem: answer.reason };
  const { job, nextMs } = answer;
  return { state: "done", text: doneText(action, job, nextMs, timezone) };
}

const DONE: Readonly<Record<CronToolRequest["action"], string>> = {
  add: "Created",
  list: "Listed",
  update: "Updated",
  remove: "Removed",
  pause: "Paused",
  resume: "Resumed",
  run: "Started",
};

/** What was done, and when the job runs next. */
function doneText(
  action: CronToolRequest["action"],
  job: Job,
  nextMs: readonly number[],
  timezone: string,
): string {
  const zone = zoneOf(job.schedule, timezone);
  const what = `${DONE[action]} job "${job.name}" (${job.id}): ${timingText(job.schedule, zone)}`;
  if (nextMs.length === 0) return what;
  return `${what}\nNext: ${nextMs.map((dueMs) => localIso(dueMs, zone)).join(", ")}`;
}
