/**
 * What a workspace says of its assistant and its people, which nanobot and this program keep alike:
 * the texts for the prompt, what is remembered, and the skills.
 * @module
 */

import { WORKSPACE_TEMPLATE } from "../../../actors/session/adapters/workspace_template.ts";
import { isSkillName } from "../../../actors/session/skills/skill.ts";
import type { SourceTree } from "./adapters/source_tree.ts";
import { joinLines, objectOf, onePiece } from "./lines.ts";
import { type Part, type PlanDraft, SourceFileError } from "./plan.ts";

/** Texts for a prompt are much shorter. */
export const TEXT_BYTES_MAX: number = 4 * 1024 ** 2;

const SKILL_FILE = "SKILL.md";

/** Files with the same name and meaning on both sides, in the order of the prompt. */
export const SHARED_TEXTS = [
  "AGENTS.md",
  "SOUL.md",
  "USER.md",
  "TOOLS.md",
  "HEARTBEAT.md",
  "memory/MEMORY.md",
] as const;

const HISTORY = "memory/history.jsonl";
const LEGACY_HISTORY = "memory/HISTORY.md";
const CURSORS = ["memory/.cursor", "memory/.dream_cursor"] as const;

/** A text that stays as it is; nothing where there is none. */
export async function planText(
  tree: SourceTree,
  { part, from, to = from, follows }: {
    readonly part: Part;
    readonly from: string;
    readonly to?: string;
    readonly follows?: string;
  },
  draft: PlanDraft,
): Promise<void> {
  const text = await textOrLeft(tree, from, { part, draft });
  if (text === null || text.trim() === "") return;
  const vacant = WORKSPACE_TEMPLATE.get(to);
  const content = () => onePiece(text);
  const modifiedAtMs = await tree.modifiedAtMs(from);
  draft.files.push({ part, from: tree.placeOf(from), to, content, modifiedAtMs, vacant, follows });
}

/** A small text; null also where it cannot be read, which is noted. */
export async function textOrLeft(
  tree: SourceTree,
  path: string,
  { part, draft }: { readonly part: Part; readonly draft: PlanDraft },
): Promise<string | null> {
  try {
    return await tree.text(path, TEXT_BYTES_MAX);
  } catch (error) {
    if (!(error instanceof SourceFileError)) throw error;
    draft.leave(part, tree.placeOf(path), ["unreadable", error.message]);
    return null;
  }
}

/** What is remembered, and how far it was digested. */
export async function planHistory(tree: SourceTree, draft: PlanDraft): Promise<void> {
  if (await tree.has(HISTORY)) {
    try {
      const modifiedAtMs = await tree.modifiedAtMs(HISTORY);
      const content = () => joinLines(entriesOf(tree));
      const from = tree.placeOf(HISTORY);
      draft.files.push({ part: "memory", from, to: HISTORY, content, modifiedAtMs });
    } catch (error) {
      if (!(error instanceof SourceFileError)) throw error;
      draft.leave("memory", tree.placeOf(HISTORY), ["unreadable", error.message]);
    }
    for (const from of CURSORS) {
      await planText(tree, { part: "memory", from, follows: HISTORY }, draft);
    }
  }
  await planText(tree, { part: "memory", from: LEGACY_HISTORY }, draft);
}

async function* entriesOf(tree: SourceTree): AsyncGenerator<string> {
  for await (const line of tree.lines(HISTORY)) {
    if (line !== null && objectOf(line) !== null) yield line.trimEnd();
  }
}

/** The skills below a folder. */
export async function planSkills(
  tree: SourceTree,
  folder: string,
  draft: PlanDraft,
): Promise<void> {
  for (const { name, kind } of await tree.list(folder)) {
    const path = `${folder}/${name}`;
    if (kind === "file" || name.startsWith(".")) continue;
    if (kind === "other") {
      draft.leave("skills", tree.placeOf(path), ["unreadable", "it is a link"]);
      continue;
    }
    if (!await tree.has(`${path}/${SKILL_FILE}`)) continue;
    if (!isSkillName(name)) {
      const why = "a skill's folder cannot be called so; rename it and migrate again";
      draft.leave("skills", tree.placeOf(path), ["unreadable", why]);
    } else if (draft.skills.every((skill) => skill.name !== name)) {
      const place = tree.placeOf(path);
      draft.skills.push({ name, from: place, folder: place });
    }
  }
}
