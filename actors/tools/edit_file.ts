/**
 * The `edit_file` tool: replaces one stretch of a text file.
 * @module
 */

import { basename, dirname, extname, join } from "node:path";
import { errorResult, textResult } from "./define_tool.ts";
import { alikeNames } from "./alike_names.ts";
import { fingerprint, type ReadFile, readWhole, writeText } from "./text_file.ts";
import type { ToolContext, ToolResult } from "./tool.ts";
import { planTool, type ToolPlan } from "./tool_plan.ts";

const NAMES_SHOWN_MAX = 3;
const NAMES_LOOKED_AT_MAX = 2_000;

type Edit = {
  readonly path: string;
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean | undefined;
  readonly occurrence?: number | undefined;
};

/** The tool. */
export const editFile: ToolPlan = planTool({
  name: "edit_file",
  description: "Replace a stretch of a text file. old_text must stand there once (give more of " +
    "its surroundings if it does not), or set replace_all. An empty old_text makes a new file.",
  parameters: (z) =>
    z.object({
      path: z.string().min(1).describe("Path, relative to the workspace or absolute"),
      old_text: z.string().describe("The text to replace, as it stands in the file"),
      new_text: z.string().describe("What shall stand there"),
      replace_all: z.boolean().optional().describe("Replace every occurrence"),
      occurrence: z.int().min(1).optional().describe("Replace only this one of several, from 1"),
    }),
  needs: { read: "workspace", write: "workspace" },
  concurrency: "exclusive",
  timeoutMs: 30_000,
  run: async (edit: Edit, context) => {
    if (edit.path.toLowerCase().endsWith(".ipynb")) {
      return errorResult(`Cannot edit "${edit.path}": a notebook is for notebook_edit`);
    }
    if (await context.files.info(edit.path) === null) return await create(edit, context);
    const file = await readWhole(edit.path, context);
    if (file.text === undefined) {
      return errorResult(`Cannot edit "${edit.path}": it is a binary file`);
    }
    return await replace(edit, file.text, file, context);
  },
});

/** Whether blanks at the ends of lines mean something there. */
export function keepsTrailingBlanks(path: string): boolean {
  return [".md", ".mdx", ".markdown"].includes(extname(path).toLowerCase());
}

/** What to say of a file that the session did not read, or not as it is now; "" for nothing. */
export async function stalenessNote(
  { resolved, bytes }: ReadFile,
  { reads }: Pick<ToolContext, "reads">,
): Promise<string> {
  const known = reads.get(resolved);
  if (known === undefined) return "Note: this file was not read before the edit.\n";
  if (await fingerprint(bytes) === known) return "";
  return "Note: this file has changed since it was last read.\n";
}

async function create({ path, old_text, new_text }: Edit, context: ToolContext) {
  if (old_text === "") return textResult(`Made ${await writeText(path, new_text, context)}`);
  const alike = await namesLike(path, context);
  const hint = alike.length === 0 ? "" : `. There is ${alike.join(", ")}`;
  return errorResult(`Cannot edit "${path}": no such file${hint}`);
}

async function namesLike(path: string, { files }: ToolContext): Promise<string[]> {
  const folder = dirname(path);
  if ((await files.info(folder))?.kind !== "directory") return [];
  const { entries } = await files.list(folder, NAMES_LOOKED_AT_MAX);
  const names = entries.filter(({ kind }) => kind === "file").map(({ name }) => name);
  return alikeNames(basename(path), names, NAMES_SHOWN_MAX).map((name) => join(folder, name));
}

async function replace(
  edit: Edit,
  text: string,
  file: ReadFile,
  context: ToolContext,
): Promise<ToolResult> {
  const { path, old_text, new_text, replace_all: replacesAll = false, occurrence } = edit;
  const { editText } = await import("./edit_text.ts");
  const outcome = editText(text, {
    oldText: old_text,
    newText: new_text,
    replacesAll,
    occurrence,
    keepsTrailingBlanks: keepsTrailingBlanks(path),
  });
  if (outcome.state === "problem") return errorResult(`Cannot edit "${path}": ${outcome.problem}`);
  const note = await stalenessNote(file, context);
  const resolved = await writeText(path, outcome.text, context, file.encoding);
  const count = outcome.count === 1 ? "" : ` (${outcome.count} places)`;
  return textResult(`${note}Edited ${resolved}${count}`);
}
