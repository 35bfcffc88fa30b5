/**
 * What nanobot could use of ours: a folder with its configuration and its workspace.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import { nanobotFileNames } from "../../../actors/session/session_name.ts";
import { SourceTree } from "./adapters/source_tree.ts";
import { jobsIn, planJob } from "./jobs.ts";
import { onePiece } from "./lines.ts";
import { nanobotSettings } from "./nanobot_settings.ts";
import { type Plan, PlanDraft } from "./plan.ts";
import { planSessions } from "./session_texts.ts";
import { planHistory, planSkills, planText, SHARED_TEXTS, textOrLeft } from "./workspace_files.ts";

const JOBS = "cron/jobs.json";
const SHARED_MEMORY = [
  ...["MEMORY.md", "history.jsonl", ".cursor", ".dream_cursor", "HISTORY.md"],
];

/** What is ours. */
export interface OwnFolders {
  /** As it stands in the file. */
  readonly written: JsonObject;
  readonly workspace: string;
  readonly configFile: string;
}

/** Where nanobot's workspace will be. */
export interface NanobotPlace {
  /** Absolute. */
  readonly workspace: string;
  readonly nowMs: number;
}

/** Reads our folders, and writes nothing. */
export async function planForNanobot(
  { written, workspace, configFile }: OwnFolders,
  place: NanobotPlace,
): Promise<Plan> {
  const draft = new PlanDraft();
  const settings = nanobotSettings(written, place.workspace, draft);
  const text = `${JSON.stringify(settings, null, 2)}\n`;
  draft.files.push({
    part: "config",
    from: configFile,
    to: "../config.json",
    content: () => onePiece(text),
    modifiedAtMs: null,
  });
  const tree = await SourceTree.open(workspace);
  if (tree === null) return draft;
  for (const from of SHARED_TEXTS) await planText(tree, { part: "memory", from }, draft);
  await planHistory(tree, draft);
  for (const { name } of await tree.list("memory")) {
    if (SHARED_MEMORY.includes(name)) continue;
    const why = "nanobot has one memory for all people and chats";
    draft.leave("memory", tree.placeOf(`memory/${name}`), ["foreign", why]);
  }
  const names = { source: "troupe", filesOf: nanobotFileNames } as const;
  await planSessions(tree, "sessions", { names, draft });
  await planSkills(tree, "skills", draft);
  const jobs = await textOrLeft(tree, JOBS, { part: "cron", draft });
  const from = tree.placeOf(JOBS);
  for (const job of jobs === null ? [] : jobsIn(jobs, from, draft)) {
    planJob(job, { from, nowMs: place.nowMs }, draft);
  }
  return draft;
}
