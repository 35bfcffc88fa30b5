/**
 * What a folder of OpenClaw holds for us.
 * @module
 */

import { basename } from "node:path";
import JSON5 from "json5";
import { WORKSPACE_TEMPLATE } from "../../../actors/session/adapters/workspace_template.ts";
import { absolutePath } from "../../../actors/config/locations.ts";
import { parseConfigText } from "../../../actors/config/json_text.ts";
import { own } from "../../../actors/config/tree.ts";
import { asError } from "../../../actors/kernel/errors.ts";
import { isList, type JsonObject } from "../../../actors/kernel/json.ts";
import { historyLine } from "../../../actors/memory/history_file.ts";
import { sessionFileName } from "../../../actors/session/session_name.ts";
import { SourceTree } from "./adapters/source_tree.ts";
import { jobsIn } from "./jobs.ts";
import { joinLines, onePiece } from "./lines.ts";
import type { Reading } from "./nanobot_source.ts";
import { planOpenClawJob } from "./openclaw_jobs.ts";
import { chatPlace, placeOfKey } from "./openclaw_names.ts";
import { type OpenClawSettings, openClawSettings } from "./openclaw_settings.ts";
import { instantOf, readTranscript } from "./openclaw_transcript.ts";
import { type Plan, PlanDraft, SourceFileError } from "./plan.ts";
import { planSkills, planText, textOrLeft } from "./workspace_files.ts";

/** Of all versions; the first that is there counts. */
export const OPENCLAW_CONFIGS = ["openclaw.json", "moltbot.json", "clawdbot.json"] as const;

const USUAL_WORKSPACE = /^~\/\.(?:openclaw|moltbot|clawdbot)\/workspace\/?$/;
const PAIRED = /^([a-z]+)(?:-default)?-allowFrom\.json$/;
/** Characters of one entry of the history. */
const ENTRY_CHARS_MAX = 4_000;

/** Reads it, and writes nothing. */
export async function planFromOpenClaw(home: SourceTree, reading: Reading): Promise<Plan> {
  const draft = new PlanDraft();
  const found = await readSettings(home, draft);
  draft.settings = found.settings;
  const workspace = await openWorkspace(home, found, reading);
  draft.workspace = workspace?.root ?? null;
  if (workspace === null) {
    draft.leave("memory", "workspace", ["unreadable", "there is no such folder"]);
  } else {
    await planTexts(workspace, draft);
    await planDays(workspace, draft);
    await planSkills(workspace, "skills", draft);
    await nameTheRest(workspace, draft);
  }
  await planSkills(home, "skills", draft);
  await planConversations(home, found.agentId, draft);
  const path = jobsPath(home, found, reading);
  const jobs = await textOrLeft(home, path, { part: "cron", draft });
  const from = home.placeOf(path);
  for (const job of jobs === null ? [] : jobsIn(jobs, from, draft)) {
    const { nowMs } = reading;
    planOpenClawJob(job, { from, nowMs, agentId: found.agentId }, draft);
  }
  return draft;
}

async function readSettings(home: SourceTree, draft: PlanDraft): Promise<OpenClawSettings> {
  let written: JsonObject = {};
  for (const name of OPENCLAW_CONFIGS) {
    if (!await home.has(name)) continue;
    written = await json5(home, name, draft);
    break;
  }
  if (own(written, "$include") !== undefined) {
    draft.leave("config", "$include", ["foreign", "files that are included are not read"]);
  }
  const agents = own(own(written, "agents"), "list");
  const list = isList(agents) ? agents : [];
  const chosen = list.find((agent) => own(agent, "default") === true) ?? list[0];
  const id = own(chosen, "id");
  const agentId = typeof id === "string" ? basename(id) : "main";
  const profiles = `agents/${agentId}/agent/auth-profiles.json`;
  return openClawSettings(written, {
    env: variablesOf(await textOrLeft(home, ".env", { part: "config", draft }) ?? ""),
    profiles: await home.has(profiles) ? await json5(home, profiles, draft) : {},
    paired: await pairedIn(home, draft),
  }, draft);
}

/** JSON with comments and more, as plain data; {} where it cannot be read, which is noted. */
async function json5(home: SourceTree, path: string, draft: PlanDraft): Promise<JsonObject> {
  const text = await textOrLeft(home, path, { part: "config", draft });
  if (text === null) return {};
  try {
    return parseConfigText(JSON.stringify(JSON5.parse(text)) ?? "", path);
  } catch (error) {
    // The parser's words may quote what stands there.
    const at = /at \d+:\d+/.exec(asError(error).message)?.[0];
    draft.leave("config", home.placeOf(path), ["unreadable", `it is no JSON5 ${at ?? ""}`.trim()]);
    return {};
  }
}

function variablesOf(text: string): Record<string, string> {
  const pairs = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    return name === undefined || value === undefined
      ? []
      : [[name, value.replace(/^(["'])(.*)\1$/, "$2")] as const];
  });
  return Object.fromEntries(pairs);
}

/** Who was let in one by one. */
async function pairedIn(home: SourceTree, draft: PlanDraft): Promise<Record<string, string[]>> {
  const paired: Record<string, string[]> = {};
  for (const { name } of await home.list("credentials")) {
    const channel = PAIRED.exec(name)?.[1];
    if (channel === undefined) continue;
    const list = own(await json5(home, `credentials/${name}`, draft), "allowFrom");
    const senders = (isList(list) ? list : []).filter((sender) => typeof sender === "string");
    paired[channel] = [...paired[channel] ?? [], ...senders];
  }
  return paired;
}

async function openWorkspace(
  home: SourceTree,
  { workspace }: OpenClawSettings,
  { source }: Reading,
): Promise<SourceTree | null> {
  const isUsual = workspace === undefined || USUAL_WORKSPACE.test(workspace.trim());
  return await SourceTree.open(
    isUsual ? home.placeOf("workspace") : absolutePath(workspace.trim(), home.root, source),
  );
}

/** Only a file in the folder itself is read. */
function jobsPath(home: SourceTree, { jobsFile }: OpenClawSettings, { source }: Reading): string {
  const usual = "cron/jobs.json";
  if (jobsFile === undefined) return usual;
  const own = absolutePath(
    jobsFile.replace(/^~\/\.openclaw\//, `${home.root}/`),
    home.root,
    source,
  );
  return own.startsWith(`${home.root}/`) ? own.slice(home.root.length + 1) : usual;
}

async function planTexts(workspace: SourceTree, draft: PlanDraft): Promise<void> {
  const part = "memory";
  for (const from of ["AGENTS.md", "USER.md", "TOOLS.md", "HEARTBEAT.md"]) {
    await planText(workspace, { part, from }, draft);
  }
  const memory = await workspace.has("MEMORY.md") ? "MEMORY.md" : "memory.md";
  await planText(workspace, { part, from: memory, to: "memory/MEMORY.md" }, draft);
  const soul = await textOrLeft(workspace, "SOUL.md", { part, draft }) ?? "";
  const identity = await textOrLeft(workspace, "IDENTITY.md", { part, draft }) ?? "";
  const text = [soul, identity].filter((one) => one.trim() !== "").map((one) => one.trimEnd())
    .join("\n\n");
  if (text !== "") {
    draft.files.push({
      part,
      from: workspace.placeOf(soul.trim() === "" ? "IDENTITY.md" : "SOUL.md"),
      to: "SOUL.md",
      content: () => onePiece(`${text}\n`),
      modifiedAtMs: null,
      vacant: WORKSPACE_TEMPLATE.get("SOUL.md"),
    });
  }
  if (draft.files.some(({ to }) => to === "AGENTS.md" || to === "TOOLS.md")) {
    draft.notes.push(
      "AGENTS.md and TOOLS.md speak of OpenClaw's own tools and files: read them over",
    );
  }
}

/** Its notes of each day become the history that is searched; they are not digested again. */
async function planDays(workspace: SourceTree, draft: PlanDraft): Promise<void> {
  const lines: string[] = [];
  for (const { name, kind } of await workspace.list("memory")) {
    const path = `memory/${name}`;
    if (kind !== "file" || !name.endsWith(".md")) {
      draft.leave("memory", workspace.placeOf(path), ["foreign", "it is no note in Markdown"]);
      continue;
    }
    const text = await textOrLeft(workspace, path, { part: "memory", draft });
    const day = /^\d{4}-\d\d-\d\d/.exec(name)?.[0] ??
      new Date(await workspace.modifiedAtMs(path).catch(() => null) ?? 0).toISOString().slice(
        0,
        10,
      );
    for (const content of piecesOf(text ?? "")) {
      lines.push(historyLine({ cursor: lines.length + 1, timestamp: `${day} 00:00`, content }));
    }
  }
  if (lines.length === 0) return;
  const to = "memory/history.jsonl";
  const from = workspace.placeOf("memory");
  const common = { part: "memory", from, modifiedAtMs: null } as const;
  draft.files.push({ ...common, to, content: () => onePiece(lines.join("")) });
  for (const cursor of ["memory/.cursor", "memory/.dream_cursor"]) {
    const content = () => onePiece(String(lines.length));
    draft.files.push({ ...common, to: cursor, content, follows: to });
  }
}

/** A text in pieces that end with a paragraph where they can. */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let rest = text.trim().toWellFormed();
  while (rest.length > ENTRY_CHARS_MAX) {
    const break_ = rest.lastIndexOf("\n\n", ENTRY_CHARS_MAX);
    const end = break_ > 0 ? break_ : ENTRY_CHARS_MAX;
    pieces.push(rest.slice(0, end).toWellFormed().trim());
    rest = rest.slice(end).toWellFormed().trim();
  }
  return rest === "" ? pieces : [...pieces, rest];
}

async function planConversations(
  home: SourceTree,
  agentId: string,
  draft: PlanDraft,
): Promise<void> {
  const folder = `agents/${agentId}/sessions`;
  const index = `${folder}/sessions.json`;
  const sessions = await home.has(index) ? await json5(home, index, draft) : {};
  const counts = { passing: 0, other_agent: 0 };
  const used = new Set<string>();
  for (const [name, entry] of Object.entries(sessions)) {
    const place = placeOfKey(name, agentId);
    const file = fileOf(entry);
    if (file !== null) used.add(file);
    if (place.kind === "passing" || place.kind === "other_agent") counts[place.kind]++;
    else if (file !== null) {
      const key = place.kind === "chat" ? place.key : lastPlace(entry);
      await planConversation(home, { path: `${folder}/${file}`, key, entry }, draft);
    }
  }
  const entries = await home.list(folder);
  const earlier = entries.filter(({ name }) => name.endsWith(".jsonl") && !used.has(name)).length;
  const left = (count: number, why: string) =>
    count > 0 && draft.leave("sessions", home.placeOf(folder), ["foreign", `${count} ${why}`]);
  left(earlier, "earlier transcripts, which no conversation goes on from");
  left(counts.passing, "conversations of jobs, hooks and subagents");
  left(counts.other_agent, "conversations of other agents");
}

async function planConversation(
  home: SourceTree,
  { path, key, entry }: {
    readonly path: string;
    readonly key: string;
    readonly entry: JsonObject[string];
  },
  draft: PlanDraft,
): Promise<void> {
  const from = home.placeOf(path);
  const to = `sessions/${sessionFileName(key)}`;
  try {
    const updatedAtMs = instantOf(own(entry, "updatedAt"));
    const transcript = await readTranscript(home, path, { key, updatedAtMs });
    const { damaged, messages, lines } = transcript;
    if (damaged > 0) {
      draft.leave("sessions", from, ["unreadable", `${damaged} damaged lines of it stay behind`]);
    }
    if (messages === 0) return;
    if (draft.files.some((file) => file.to === to)) {
      draft.leave("sessions", from, ["taken", `another conversation is ${key} too`]);
      return;
    }
    const content = () => joinLines(lines());
    const modifiedAtMs = updatedAtMs ?? await home.modifiedAtMs(path);
    draft.files.push({ part: "sessions", from, to, content, modifiedAtMs });
  } catch (error) {
    if (!(error instanceof SourceFileError)) throw error;
    draft.leave("sessions", from, ["unreadable", error.message]);
  }
}

/** The name of a transcript; only one in the folder itself is read. */
function fileOf(entry: JsonObject[string]): string | null {
  const file = own(entry, "sessionFile");
  const id = own(entry, "sessionId");
  if (typeof file === "string" && file !== "") return basename(file);
  return typeof id === "string" && id !== "" ? `${basename(id)}.jsonl` : null;
}

/** Where the one conversation of all direct chats was last held. */
function lastPlace(entry: JsonObject[string]): string {
  const context = own(entry, "deliveryContext");
  const channel = own(context, "channel") ?? own(entry, "lastChannel");
  const to = own(context, "to") ?? own(entry, "lastTo");
  if (typeof channel !== "string" || typeof to !== "string" || channel === "webchat") {
    return "cli:direct";
  }
  const place = chatPlace(channel, to);
  return `${place.channel}:${place.chatId}`;
}

const KNOWN = new Set([
  ...["AGENTS.md", "SOUL.md", "USER.md", "TOOLS.md", "HEARTBEAT.md", "IDENTITY.md", "MEMORY.md"],
  ...["memory.md", "memory", "skills", ".git", ".gitignore", ".openclaw"],
]);

async function nameTheRest(workspace: SourceTree, draft: PlanDraft): Promise<void> {
  for (const { name } of await workspace.list(".")) {
    if (KNOWN.has(name)) continue;
    const why = "a file of the workspace that is no memory; copy it where you want it";
    draft.leave("memory", workspace.placeOf(name), ["foreign", why]);
  }
}
