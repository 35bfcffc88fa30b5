/**
 * A change of several files that happens as a whole: it is written down first, and carried out by
 * whoever finds it, so that a crash between two files leaves nothing half done.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type { MemoryFiles } from "./ports.ts";
import { isDreamCursorPath, isFactsPath, isProposedPath } from "./scope.ts";
import { mergeTexts } from "./text_merge.ts";

const logger = getLogger(["troupe", "memory", "intent"]);

/** Where the change that is under way stands, below the workspace. */
export const INTENT_PATH = "memory/.pending";

/** Tries to bring a change together with edits that are made at the same moment. */
const SWAPS_MAX = 5;

/** A change that is under way. */
export interface Intent {
  /** What each file held, and shall hold. `before` is null where there is none. */
  readonly files: readonly {
    readonly path: string;
    readonly before: string | null;
    readonly after: string;
  }[];
  /** Dream's number, where the change came of a batch. */
  readonly cursor: { readonly path: string; readonly value: number } | null;
  /** First line of the version's message; `{n}` stands for the number of changes. */
  readonly subject: string;
}

/** Whoever may write the intent's file must not reach all others with it. */
const CHANGED_PATH = z.string().refine((path) => isFactsPath(path) || isProposedPath(path));

const INTENT: z.ZodType<Intent> = z.object({
  files: z.array(
    z.object({ path: CHANGED_PATH, before: z.string().nullable(), after: z.string() }),
  ),
  cursor: z.object({ path: z.string().refine(isDreamCursorPath), value: z.int().min(0) })
    .nullable(),
  subject: z.string(),
});

/** How a change ended: files in `kept` were edited by hand in the same place, and stay so. */
export interface Carried {
  readonly kept: readonly string[];
}

/** Writes a change down: from here on it will happen. */
export async function writeIntent(files: MemoryFiles, intent: Intent): Promise<void> {
  await files.replace(INTENT_PATH, JSON.stringify(intent));
}

/** The change that is under way, if there is one. What cannot be read never began. */
export async function readIntent(files: MemoryFiles): Promise<Intent | null> {
  const text = await files.read(INTENT_PATH);
  if (text === null) return null;
  try {
    const intent = INTENT.safeParse(JSON.parse(text)).data;
    if (intent !== undefined) return intent;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  logger.error("Removed {path}: it is no change of memory files", { path: INTENT_PATH });
  await files.remove(INTENT_PATH);
  return null;
}

/** Carries a change out, as far as that was not done yet. May be repeated until {@link endIntent}. */
export async function carryOutIntent(files: MemoryFiles, intent: Intent): Promise<Carried> {
  const kept: string[] = [];
  for (const { path, before, after } of intent.files) {
    if (!await applyChange(files, { path, before, after })) kept.push(path);
  }
  const { cursor } = intent;
  if (cursor !== null) await files.replace(cursor.path, String(cursor.value));
  if (kept.length > 0) {
    logger.warn("Left {paths} as they are: edited by hand in the same place meanwhile", {
      paths: kept.join(", "),
    });
  }
  return { kept };
}

/** The change has happened, and everything that follows from it. */
export async function endIntent(files: MemoryFiles): Promise<void> {
  await files.remove(INTENT_PATH);
}

/** @returns false when an edit by hand is in the way */
async function applyChange(
  files: MemoryFiles,
  { path, before, after }: Intent["files"][number],
): Promise<boolean> {
  for (let tries = 0; tries < SWAPS_MAX; tries++) {
    const current = await files.read(path);
    if (current === after) return true;
    const merged = await mergeTexts(before ?? "", current ?? "", after);
    if (merged.state === "conflict") return false;
    if (merged.text === current) return true;
    if (await files.swap(path, current, merged.text)) return true;
  }
  return false;
}
