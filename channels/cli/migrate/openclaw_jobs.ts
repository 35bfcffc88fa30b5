/**
 * OpenClaw's jobs as ours.
 * @module
 */

import { own } from "../../../actors/config/tree.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../actors/kernel/json.ts";
import { type JobSource, nameOf, planJob } from "./jobs.ts";
import { type ChatPlace, chatPlace } from "./openclaw_names.ts";
import { instantOf } from "./openclaw_transcript.ts";
import type { PlanDraft } from "./plan.ts";

/** What jobs are read with. */
export interface OpenClawJobs extends JobSource {
  /** The agent that is carried. */
  readonly agentId: string;
}

/** Plans one job, or says why it stays. */
export function planOpenClawJob(job: JsonObject, reading: OpenClawJobs, draft: PlanDraft): void {
  const what = `${reading.from}: ${nameOf(job)}`;
  const { agentId, schedule, payload } = job;
  if (typeof agentId === "string" && agentId !== reading.agentId) {
    draft.leave("cron", what, ["foreign", `it belongs to the agent ${agentId}`]);
    return;
  }
  const message = own(payload, "message") ?? own(payload, "text");
  if (typeof message !== "string") {
    draft.leave("cron", what, ["foreign", "it is nothing that the assistant is told"]);
    return;
  }
  const answer = answerOf(job);
  if (answer.lost !== null) draft.notes.push(`Job "${nameOf(job)}": ${answer.lost}`);
  const kind = own(schedule, "kind");
  planJob(
    {
      id: job["id"] ?? job["jobId"] ?? "",
      name: job["name"] ?? "",
      enabled: job["enabled"] ?? true,
      schedule: {
        kind: kind ?? "",
        atMs: kind === "at" ? momentOf(schedule) : null,
        everyMs: own(schedule, "everyMs") ?? null,
        expr: own(schedule, "expr") ?? null,
        tz: own(schedule, "tz") ?? null,
      },
      payload: {
        kind: "agent_turn",
        message,
        deliver: answer.place !== null,
        channel: answer.place?.channel ?? null,
        to: answer.place?.chatId ?? null,
      },
      state: {},
      createdAtMs: instantOf(job["createdAtMs"]) ?? 0,
      updatedAtMs: instantOf(job["updatedAtMs"]) ?? 0,
      deleteAfterRun: job["deleteAfterRun"] ?? kind === "at",
    },
    reading,
    draft,
  );
}

/** A time without a zone is UTC there. */
function momentOf(schedule: JsonValue | undefined): number | null {
  const at = own(schedule, "at") ?? own(schedule, "atMs");
  if (typeof at !== "string") return instantOf(at);
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(at.trim()) || !at.includes("T");
  return instantOf(hasZone ? at.trim() : `${at.trim()}Z`);
}

interface Answer {
  readonly place: ChatPlace | null;
  /** What is different from there; null when nothing is. */
  readonly lost: string | null;
}

function answerOf(job: JsonObject): Answer {
  const { delivery, payload, sessionTarget } = job;
  const mode = own(delivery, "mode") ?? (own(payload, "deliver") === true ? "announce" : undefined);
  const where = isObject(delivery) ? delivery : payload;
  const channel = own(where, "channel");
  const to = own(where, "to");
  if (mode === "none") return { place: null, lost: null };
  if (mode === "webhook") {
    return { place: null, lost: "its answer went to a web address, and goes nowhere" };
  }
  const isNamed = typeof channel === "string" && channel !== "last" && typeof to === "string";
  if (isNamed) return { place: chatPlace(channel, to), lost: null };
  const again = "its answer goes nowhere: make it anew with cron add --to";
  const isTold = mode === "announce" || sessionTarget !== "main";
  return { place: null, lost: isTold ? `it names no chat, so ${again}` : again };
}
