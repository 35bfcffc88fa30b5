/**
 * The `apply_patch` tool: several edits over several files, all of them or none.
 * @module
 */

import { errorResult, textResult } from "./define_tool.ts";
import { keepsTrailingBlanks, stalenessNote } from "./edit_file.ts";
import { readWhole, writeText } from "./text_file.ts";
import type { TextEncodingName } from "./text_encoding.ts";
import type { ToolContext, ToolResult } from "./tool.ts";
import { planTool, type ToolPlan } from "./tool_plan.ts";

const EDITS_MAX = 20;

interface Edit {
  readonly path: string;
  readonly action: "replace" | "add";
  readonly old_text?: string | undefined;
  readonly new_text: string;
  readonly replace_all?: boolean | undefined;
}

/** A file as it is, and as it will be. */
interface FileChange {
  readonly path: string;
  readonly resolved: string;
  /** null where there is none yet. */
  readonly before: Uint8Array | null;
  readonly encoding: TextEncodingName;
  text: string;
  editCount: number;
}

/** The tool. */
export const applyPatch: ToolPlan = planTool({
  name: "apply_patch",
  description: "Make several edits over several files at once: all are done, or none. Each " +
    "replaces a stretch (old_text must stand there once, or set replace_all) or adds a new " +
    "file. Edits of one file build on each other. dry_run only says whether they would do.",
  parameters: (z) =>
    z.object({
      edits: z.array(z.object({
        path: z.string().min(1).describe("Path, relative to the workspace or absolute"),
        action: z.enum(["replace", "add"]).describe("Replace a stretch, or add a new file"),
        old_text: z.string().optional().describe("For replace: the text as it stands in the file"),
        new_text: z.string().describe("What shall stand there, or the whole new file"),
        replace_all: z.boolean().optional().describe("Replace every occurrence"),
      })).min(1).max(EDITS_MAX).describe(`1 to ${EDITS_MAX} edits, in order`),
      dry_run: z.boolean().optional().describe("Change nothing"),
    }),
  needs: { read: "workspace", write: "workspace" },
  concurrency: "exclusive",
  timeoutMs: 60_000,
  run: async ({ edits, dry_run: isDry = false }, context) => {
    const changes = new Map<string, FileChange>();
    const notes = new Set<string>();
    for (const [index, one] of edits.entries()) {
      const problem = await prepare(one, { changes, notes, context });
      if (problem !== undefined) {
        const which = `edit ${index + 1} of ${edits.length}, "${one.path}"`;
        return errorResult(`Cannot apply ${which}: ${problem}. Nothing was changed`);
      }
    }
    const files = [...changes.values()];
    if (!isDry) {
      const failed = await writeAll(files, context);
      if (failed !== undefined) return failed;
    }
    const lines = files.map(({ resolved, before, editCount }) =>
      `${before === null ? "Added" : "Edited"} ${resolved} (${editCount} edits)`
    );
    const head = isDry ? ["All edits would do; nothing was changed (dry run):"] : [];
    return textResult([...notes, ...head, ...lines].join("\n"));
  },
});

interface Preparing {
  readonly changes: Map<string, FileChange>;
  readonly notes: Set<string>;
  readonly context: ToolContext;
}

/** Works one edit into the changes; what it gives is why that cannot be. */
async function prepare(
  { path, action, old_text: oldText = "", new_text: newText, replace_all: replacesAll = false }:
    Edit,
  { changes, notes, context }: Preparing,
): Promise<string | undefined> {
  const resolved = await context.files.resolve(path);
  const known = changes.get(resolved);
  const isThere = known !== undefined || await context.files.info(path) !== null;
  if (action === "add") {
    if (isThere) return "there is such a file already";
    const added = { path, resolved, before: null, encoding: "utf-8", editCount: 1 } as const;
    changes.set(resolved, { ...added, text: newText });
    return undefined;
  }
  if (!isThere) return "no such file";
  if (path.toLowerCase().endsWith(".ipynb")) return "a notebook is for notebook_edit";
  if (oldText === "") return "old_text is missing";
  const change = known ?? await open(path, { notes, context });
  if (change === undefined) return "it is a binary file";
  const keeps = keepsTrailingBlanks(path);
  const { editText } = await import("./edit_text.ts");
  const outcome = editText(change.text, {
    ...{ oldText, newText, replacesAll, keepsTrailingBlanks: keeps },
  });
  if (outcome.state === "problem") return outcome.problem;
  change.text = outcome.text;
  change.editCount++;
  changes.set(resolved, change);
  return undefined;
}

async function open(
  path: string,
  { notes, context }: Pick<Preparing, "notes" | "context">,
): Promise<FileChange | undefined> {
  const file = await readWhole(path, context);
  const { text, encoding = "utf-8", resolved, bytes } = file;
  if (text === undefined) return undefined;
  const note = (await stalenessNote(file, context)).trimEnd();
  if (note !== "") notes.add(`${note} (${path})`);
  return { path, resolved, before: bytes, encoding, text, editCount: 0 };
}

/** Writes each file; when one fails, those before it get back what they were. */
async function writeAll(
  changes: readonly FileChange[],
  context: ToolContext,
): Promise<ToolResult | undefined> {
  const done: FileChange[] = [];
  for (const change of changes) {
    try {
      await writeText(change.path, change.text, context, change.encoding);
      done.push(change);
    } catch (error) {
      const lost = await takeBack(done, context);
      const why = error instanceof Error ? error.message : String(error);
      const rest = lost.length === 0
        ? "Nothing was changed"
        : `These could not be taken back: ${lost.join(", ")}`;
      return errorResult(`${why}. ${rest}`);
    }
  }
  return undefined;
}

/** Undoes what was written; gives the paths where that failed. */
async function takeBack(
  changes: readonly FileChange[],
  { files, reads }: ToolContext,
): Promise<string[]> {
  const lost: string[] = [];
  for (const { path, resolved, before } of changes.toReversed()) {
    reads.delete(resolved);
    try {
      if (before === null) await files.remove(path);
      else await files.write(path, before);
    } catch {
      lost.push(path);
    }
  }
  return lost;
}
