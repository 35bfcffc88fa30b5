/**
 * Jobs of a restored copy that were due since its backup: the original may have run them.
 * @module
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../../../actors/kernel/json.ts";
import { z } from "zod";

/** The file of jobs without what was due, and the names of single jobs that are paused. */
export interface PassedOver {
  readonly text: string;
  readonly paused: readonly string[];
}

/** Due times until `nowMs` count as past: regular jobs go on with the next one, single ones pause. */
export function passOverDueJobs(text: string, nowMs: number): PassedOver {
  const file = fileOf(text);
  if (file === null || !isList(file["jobs"])) return { text, paused: [] };
  const paused: string[] = [];
  const jobs = file["jobs"].map((job): JsonValue => {
    if (!isObject(job) || !isObject(job["state"])) return job;
    const { nextRunAtMs, ...state } = job["state"];
    if (typeof nextRunAtMs !== "number" || nextRunAtMs > nowMs || job["enabled"] === false) {
      return job;
    }
    const isSingle = isObject(job["schedule"]) && job["schedule"]["kind"] === "at";
    // Without a time the next one is computed from now on.
    if (!isSingle) return { ...job, state: { ...state, nextRunAtMs: null, scheduleKey: null } };
    paused.push(String(job["name"] ?? job["id"] ?? ""));
    return { ...job, enabled: false };
  });
  return { text: `${JSON.stringify({ ...file, jobs }, null, 2)}\n`, paused };
}

function fileOf(text: string): JsonObject | null {
  try {
    return z.record(z.string(), z.json()).safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // the gateway tells of it
  }
}
