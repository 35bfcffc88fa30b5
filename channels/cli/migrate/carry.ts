/**
 * Carries a plan out, or says what would become of it.
 * @module
 */

import {
  placeSkill,
  readPackageFolder,
} from "../../../actors/session/skills/adapters/skill_folders.ts";
import {
  type PackagedSkill,
  SkillInstallError,
  skillsIn,
} from "../../../actors/session/skills/install/skill_package.ts";
import { join } from "node:path";
import type { TargetFiles } from "./adapters/target_files.ts";
import { withJobs } from "./jobs.ts";
import { onePiece } from "./lines.ts";
import {
  type LeftBehind,
  type Part,
  type Plan,
  type PlannedFile,
  type PlannedSkill,
  SourceFileError,
} from "./plan.ts";

const JOBS = "cron/jobs.json";

/** What became of a plan's files, jobs and skills. */
export class Outcome {
  readonly carried: { readonly part: Part; readonly what: string }[] = [];
  readonly there: { readonly part: Part; readonly what: string }[] = [];
  readonly left: LeftBehind[] = [];
}

/** Where to, and whether it is only looked at. */
export interface Carrying {
  readonly target: TargetFiles;
  readonly isDryRun: boolean;
}

/** Carries everything but the settings. */
export async function carry(plan: Plan, carrying: Carrying): Promise<Outcome> {
  const outcome = new Outcome();
  for (const file of plan.files) await carryFile(file, carrying, outcome);
  await carryJobs(plan, carrying, outcome);
  for (const skill of plan.skills) await carrySkill(skill, carrying, outcome);
  return outcome;
}

async function carryFile(
  file: PlannedFile,
  { target, isDryRun }: Carrying,
  outcome: Outcome,
): Promise<void> {
  const { part, from, to: what, content, vacant, copyOf, modifiedAtMs } = file;
  const follows = file.follows ?? copyOf;
  if (follows !== undefined && outcome.left.some((left) => left.what === follows)) return;
  try {
    const state = await target.look(what, { content, vacant });
    if (state === "same") {
      if (copyOf === undefined) outcome.there.push({ part, what });
    } else if (state === "taken") {
      const why = `another one is there already, and stays; this one is ${from}`;
      outcome.left.push({ part, what, reason: "taken", why });
    } else {
      if (!isDryRun) await target.place(what, content(), modifiedAtMs);
      if (copyOf === undefined) outcome.carried.push({ part, what });
    }
  } catch (error) {
    if (!(error instanceof SourceFileError)) throw error;
    outcome.left.push({ part, what: from, reason: "unreadable", why: error.message });
  }
}

async function carryJobs(
  { jobs }: Plan,
  { target, isDryRun }: Carrying,
  outcome: Outcome,
): Promise<void> {
  if (jobs.length === 0) return;
  const merged = withJobs(await target.text(JOBS), jobs);
  if (merged === null) {
    const why = "the file of jobs there cannot be read; mend it, and migrate again";
    outcome.left.push({ part: "cron", what: JOBS, reason: "taken", why });
    return;
  }
  for (const id of merged.there) outcome.there.push({ part: "cron", what: id });
  if (merged.added.length === 0) return;
  if (!isDryRun) await target.place(JOBS, onePiece(merged.text), null);
  for (const id of merged.added) outcome.carried.push({ part: "cron", what: id });
}

async function carrySkill(
  { name, from, folder }: PlannedSkill,
  { target, isDryRun }: Carrying,
  outcome: Outcome,
): Promise<void> {
  const what = `skills/${name}`;
  const skill = await readSkill(folder, name);
  if (typeof skill === "string") {
    outcome.left.push({ part: "skills", what: from, reason: "unreadable", why: skill });
  } else if (!await target.has(what)) {
    const origin = { source: from };
    if (!isDryRun) {
      await placeSkill(join(target.folder, "skills"), skill, { origin, replaces: false });
    }
    outcome.carried.push({ part: "skills", what });
  } else if (await isSame(skill, what, target)) outcome.there.push({ part: "skills", what });
  else {
    const why = "another skill of this name is there already, and stays";
    outcome.left.push({ part: "skills", what, reason: "taken", why });
  }
}

/** The skill under its folder's name, or why it is none. */
async function readSkill(folder: string, name: string): Promise<PackagedSkill | string> {
  try {
    const { files } = await readPackageFolder(folder);
    const [skill] = await skillsIn(files, name);
    return skill === undefined ? "it holds no skill" : { ...skill, name };
  } catch (error) {
    if (error instanceof SkillInstallError) return error.message;
    throw error;
  }
}

async function isSame(
  { files }: PackagedSkill,
  folder: string,
  target: TargetFiles,
): Promise<boolean> {
  for (const { path, bytes } of files) {
    if (!await target.holds(`${folder}/${path}`, bytes)) return false;
  }
  return true;
}
