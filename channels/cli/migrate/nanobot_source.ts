/**
 * What a folder of nanobot holds for us.
 * @module
 */

import { canonicalSettings } from "../../../actors/config/canonical.ts";
import { configShape } from "../../../actors/config/config_shape.ts";
import { ConfigError } from "../../../actors/config/errors.ts";
import { parseConfigText } from "../../../actors/config/json_text.ts";
import { showPath } from "../../../actors/config/key_path.ts";
import { absolutePath } from "../../../actors/config/locations.ts";
import { migrate } from "../../../actors/config/migrations.ts";
import { Report } from "../../../actors/config/report.ts";
import type { ConfigSource } from "../../../actors/config/source.ts";
import { own, withKey, withoutKey } from "../../../actors/config/tree.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../actors/kernel/json.ts";
import { sessionFileName } from "../../../actors/session/session_name.ts";
import { channelManifests } from "../../registry.ts";
import { SourceTree } from "./adapters/source_tree.ts";
import { jobsIn, planJob } from "./jobs.ts";
import { type Plan, PlanDraft } from "./plan.ts";
import { valueAt } from "./settings.ts";
import { planSessions, type SessionNames } from "./session_texts.ts";
import { planHistory, planSkills, planText, SHARED_TEXTS, textOrLeft } from "./workspace_files.ts";

const CONFIG = "config.json";
/** What nanobot takes without a word in its configuration. */
const USUAL_WORKSPACE = /^(?:~\/\.nanobot\/workspace\/?)?$/;
const JOBS = "cron/jobs.json";
const PENDING_JOBS = "cron/action.jsonl";

/** What a source is read with. */
export interface Reading {
  readonly source: ConfigSource;
  readonly nowMs: number;
}

/** Reads it, and writes nothing. */
export async function planFromNanobot(home: SourceTree, reading: Reading): Promise<Plan> {
  const draft = new PlanDraft();
  const written = await readSettings(home, draft);
  const workspace = await openWorkspace(home, written, { reading, draft });
  draft.workspace = workspace?.root ?? null;
  draft.settings = ourSettings(written, draft);
  noteChanges(draft);
  const names: SessionNames = { source: "nanobot", filesOf: (key) => [sessionFileName(key)] };
  if (workspace !== null) {
    for (const from of SHARED_TEXTS) await planText(workspace, { part: "memory", from }, draft);
    await planHistory(workspace, draft);
    await planKeptSessions(home, workspace, { names, draft });
    await planSessions(workspace, "sessions", { names, draft });
    await planSkills(workspace, "skills", draft);
    await planJobs(workspace, reading, draft);
    await nameTheRest(workspace, draft);
  }
  // Earlier versions kept them for all workspaces together.
  await planSessions(home, "sessions", { names, draft });
  if (workspace === null || !await workspace.has(JOBS)) await planJobs(home, reading, draft);
  return draft;
}

/** From 0.3.5 on nanobot keeps conversations beside its configuration, a folder for each workspace. */
async function planKeptSessions(
  home: SourceTree,
  workspace: SourceTree,
  plan: { readonly names: SessionNames; readonly draft: PlanDraft },
): Promise<void> {
  const read = async (tree: SourceTree, path: string) =>
    (await textOrLeft(tree, path, { part: "sessions", draft: plan.draft }))?.trim();
  const id = await read(workspace, ".nanobot/workspace-id");
  for (const { name, kind } of await home.list("sessions")) {
    if (kind !== "folder") continue;
    const folder = `sessions/${name}`;
    const owner = await read(home, `${folder}/.workspace`);
    if (name === id || owner === workspace.root) await planSessions(home, folder, plan);
    else {
      const why = `conversations of another workspace (${owner ?? "it does not say which"})`;
      plan.draft.leave("sessions", home.placeOf(folder), ["foreign", why]);
    }
  }
}

async function readSettings(home: SourceTree, draft: PlanDraft): Promise<JsonObject> {
  const text = await textOrLeft(home, CONFIG, { part: "config", draft });
  if (text === null) return {};
  try {
    return parseConfigText(text, home.placeOf(CONFIG));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    draft.leave("config", home.placeOf(CONFIG), ["unreadable", error.message]);
    return {};
  }
}

async function openWorkspace(
  home: SourceTree,
  written: JsonObject,
  { reading: { source }, draft }: { readonly reading: Reading; readonly draft: PlanDraft },
): Promise<SourceTree | null> {
  const configured = valueAt(written, ["agents", "defaults", "workspace"]);
  const path = typeof configured === "string" && !USUAL_WORKSPACE.test(configured.trim())
    ? absolutePath(configured.trim(), home.root, source)
    : home.placeOf("workspace");
  const tree = await SourceTree.open(path);
  if (tree === null) draft.leave("memory", path, ["unreadable", "there is no such folder"]);
  return tree;
}

/** The settings in our words, without what has no place here. */
export function ourSettings(written: JsonObject, draft: PlanDraft): JsonObject {
  const report = new Report(CONFIG);
  const known = canonicalSettings(
    migrate(written, report),
    configShape(channelManifests),
    (path) => {
      draft.leave("config", showPath(path), ["foreign", "there is no such setting here"]);
    },
  );
  const names = channelManifests.map(({ name }) => name);
  return withProviders(withChannels(withoutWorkspace(known), names, draft));
}

/** The target has its own. */
function withoutWorkspace(settings: JsonObject): JsonObject {
  const agents = own(settings, "agents");
  const defaults = own(agents, "defaults");
  if (!isObject(agents) || !isObject(defaults)) return settings;
  return withKey(
    settings,
    "agents",
    withKey(agents, "defaults", withoutKey(defaults, "workspace")),
  );
}

function withChannels(
  settings: JsonObject,
  known: readonly string[],
  draft: PlanDraft,
): JsonObject {
  const channels = own(settings, "channels");
  if (!isObject(channels)) return settings;
  const kept = Object.entries(channels).filter(([name, section]) => {
    if (!isObject(section) || known.includes(name)) return true;
    const off = own(section, "enabled") === true ? "" : "; it was off";
    draft.leave("config", `channels.${name}`, ["foreign", `there is no such channel here${off}`]);
    return false;
  });
  return withKey(settings, "channels", Object.fromEntries(kept));
}

/** Without the empty sections that a saved configuration has for all vendors. */
function withProviders(settings: JsonObject): JsonObject {
  const providers = own(settings, "providers");
  if (!isObject(providers)) return settings;
  const isSet = (value: JsonValue) => value !== null && value !== "";
  const kept = Object.entries(providers).flatMap(([name, provider]) => {
    if (!isObject(provider)) return [];
    const set = Object.entries(provider).filter(([, value]) => isSet(value));
    return set.length === 0 ? [] : [[name, Object.fromEntries(set)] as const];
  });
  return withKey(settings, "providers", Object.fromEntries(kept));
}

function noteChanges({ settings, notes }: PlanDraft): void {
  if (valueAt(settings, ["tools", "restrictToWorkspace"]) === false) {
    notes.push(
      "tools.restrictToWorkspace is false, as it was there: tools reach files outside the " +
        "workspace; true is the default here, and safer",
    );
  }
  if (valueAt(settings, ["channels", "whatsapp", "enabled"]) === true) {
    notes.push("WhatsApp's link stays behind: link the number with channels login whatsapp");
  }
}

async function planJobs(tree: SourceTree, { nowMs }: Reading, draft: PlanDraft): Promise<void> {
  const text = await textOrLeft(tree, JOBS, { part: "cron", draft });
  const from = tree.placeOf(JOBS);
  for (const job of text === null ? [] : jobsIn(text, from, draft)) {
    planJob(job, { from, nowMs }, draft);
  }
  const pending = await textOrLeft(tree, PENDING_JOBS, { part: "cron", draft });
  if ((pending ?? "").trim() === "") return;
  const why = "changes that wait for nanobot's gateway; start it once, and migrate again";
  draft.leave("cron", tree.placeOf(PENDING_JOBS), ["foreign", why]);
}

/** Names of a workspace's own; everything else is what the assistant made. */
const KNOWN = new Set([
  ...SHARED_TEXTS.map((path) => path.split("/")[0] ?? path),
  ...["sessions", "skills", "cron", "cron.lock", ".git", ".gitignore", ".nanobot", ".troupe.lock"],
]);

async function nameTheRest(workspace: SourceTree, draft: PlanDraft): Promise<void> {
  for (const { name } of await workspace.list(".")) {
    if (KNOWN.has(name)) continue;
    const why = "a file of the workspace that is no memory; copy it where you want it";
    draft.leave("memory", workspace.placeOf(name), ["foreign", why]);
  }
}
