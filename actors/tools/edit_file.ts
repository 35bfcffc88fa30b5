/**
 * The `edit_file` tool: replaces one stretch of a text file.
 * @module
 */

import { z } from "zod";
import { defineTool, textResult } from "./define_tool.ts";
import { findMatches, lineOf, type Match, nearestLines } from "./edit_match.ts";
import { LineEndings } from "./line_endings.ts";
import { fingerprint, readText, writeText } from "./text_file.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";

/** Below this likeness the nearest place is no help. */
const LIKENESS_MIN = 0.5;
const LINES_NAMED_MAX = 3;

interface Edit {
  readonly path: string;
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean | undefined;
}

/** The tool. */
export const editFileTool: Tool = defineTool({
  name: "edit_file",
  description: "Replace a stretch of a text file. old_text must stand there once (give more of " +
    "its surroundings if it does not), or set replace_all. An empty old_text makes a new file.",
  parameters: z.object({
    path: z.string().min(1).describe("Path, relative to the workspace or absolute"),
    old_text: z.string().describe("The text to replace, as it stands in the file"),
    new_text: z.string().describe("What shall stand there"),
    replace_all: z.boolean().optional().describe("Replace every occurrence"),
  }),
  needs: { read: "workspace", write: "workspace" },
  concurrency: "exclusive",
  timeoutMs: 30_000,
  run: async (edit: Edit, context) => {
    if (edit.path.endsWith(".ipynb")) {
      return error(`Cannot edit "${edit.path}": a notebook is no plain text`);
    }
    if (await context.files.info(edit.path) === null) return await create(edit, context);
    const notice = await staleness(edit.path, context);
    const { text } = await readText(edit.path, context);
    if (text === undefined) return error(`Cannot edit "${edit.path}": it is a binary file`);
    return await replace(edit, text, notice, context);
  },
});

async function create({ path, old_text, new_text }: Edit, context: ToolContext) {
  if (old_text !== "") return error(`Cannot edit "${path}": no such file`);
  return textResult(`Made ${await writeText(path, new_text, context)}`);
}

async function replace(
  edit: Edit,
  text: string,
  notice: string,
  context: ToolContext,
): Promise<ToolResult> {
  const { path, old_text, new_text, replace_all: replacesAll = false } = edit;
  if (old_text === "") {
    if (text.trim() !== "") {
      return error(`Cannot edit "${path}": old_text is empty, the file is not`);
    }
    return textResult(`Wrote ${await writeText(path, new_text, context)}`);
  }
  const view = new LineEndings(text);
  const wanted = old_text.replaceAll("\r\n", "\n");
  const { kind, matches } = findMatches(view.text, wanted);
  if (matches.length === 0) return notFound(path, view.text, wanted);
  if (matches.length > 1 && !replacesAll) return ambiguous(path, view.text, matches);
  const replacement = new_text.replaceAll("\r\n", "\n");
  const pieces = matches.map((match) => ({
    ...match,
    text: kind === "trimmed_lines"
      ? reindent(view.text.slice(match.start, match.end), wanted, replacement)
      : replacement,
  }));
  const resolved = await writeText(path, view.replace(pieces), context);
  const count = matches.length === 1 ? "" : ` (${matches.length} places)`;
  return textResult(`${notice}Edited ${resolved}${count}`);
}

/** Gives the replacement the outer indentation of what it replaces. */
function reindent(found: string, wanted: string, replacement: string): string {
  const is = indentation(found);
  const was = indentation(wanted);
  if (is === was) return replacement;
  return replacement.split("\n").map((line) => {
    if (line.trim() === "") return line;
    return line.startsWith(was) ? is + line.slice(was.length) : line;
  }).join("\n");
}

function indentation(text: string): string {
  return /^[ \t]*/.exec(text)?.[0] ?? "";
}

async function staleness(path: string, { files, reads }: ToolContext): Promise<string> {
  const known = reads.get(await files.resolve(path));
  if (known === undefined) return "Note: this file was not read before the edit.\n";
  const bytes = await files.read(path, Number.MAX_SAFE_INTEGER);
  return fingerprint(bytes) === known
    ? ""
    : "Note: this file has changed since it was last read.\n";
}

function notFound(path: string, text: string, wanted: string): ToolResult {
  const nearest = nearestLines(text, wanted);
  const base = `Cannot edit "${path}": old_text does not stand in it`;
  if (nearest === undefined || nearest.likeness < LIKENESS_MIN) return error(base);
  const percent = Math.round(nearest.likeness * 100);
  return error(
    `${base}. Nearest (${percent} % alike), from line ${nearest.line}:\n${nearest.text}`,
  );
}

function ambiguous(path: string, text: string, matches: readonly Match[]): ToolResult {
  const lines = matches.slice(0, LINES_NAMED_MAX).map(({ start }) => lineOf(text, start));
  const where = `${lines.join(", ")}${matches.length > LINES_NAMED_MAX ? ", …" : ""}`;
  return error(
    `Cannot edit "${path}": old_text stands in it ${matches.length} times (lines ${where}); ` +
      "give more of its surroundings, or set replace_all",
  );
}

function error(message: string): ToolResult {
  return { content: `Error: ${message}`, isError: true };
}
