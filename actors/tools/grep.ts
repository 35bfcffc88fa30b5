/**
 * The `grep` tool: searches the lines of files.
 * @module
 */

import { textResult } from "./define_tool.ts";
import { isOfType } from "./file_types.ts";
import {
  foundPage,
  type FoundRange,
  HEAD_LIMIT_DEFAULT,
  HEAD_LIMIT_MAX,
  OFFSET_MAX,
} from "./found_page.ts";
import { matchBlocks } from "./grep_matches.ts";
import type { FileFound, SearchOutcome } from "./grep_search.ts";
import { newestFirst, shownPath } from "./newest_first.ts";
import { pageChars } from "./text_page.ts";
import type { ToolContext, ToolResult } from "./tool.ts";
import { planTool, type ToolPlan } from "./tool_plan.ts";

const CONTEXT_LINES_MAX = 20;

/** The tool. */
export const grepFiles: ToolPlan = planTool({
  name: "grep",
  description: "Search the lines of files for an expression (RE2: no look-around, no back " +
    "references). Gives paths, newest first; set output_mode for the lines or counts. Binary and " +
    "very large files, and what .gitignore names, are left out.",
  parameters: (z) =>
    z.object({
      pattern: z.string().min(1).describe("The expression"),
      path: z.string().optional().describe("File or folder; the workspace if left out"),
      glob: z.string().optional().describe("Only files that match it, such as *.ts or src/**"),
      type: z.string().optional().describe("Only files of a type, such as py, ts, md"),
      case_insensitive: z.boolean().optional(),
      fixed_strings: z.boolean().optional().describe("The pattern is text, not an expression"),
      output_mode: z.enum(["content", "files_with_matches", "count"]).optional(),
      context_before: z.int().min(0).max(CONTEXT_LINES_MAX).optional(),
      context_after: z.int().min(0).max(CONTEXT_LINES_MAX).optional(),
      head_limit: z.int().min(0).max(HEAD_LIMIT_MAX).optional()
        .describe(`Finds at most (${HEAD_LIMIT_DEFAULT}); 0 for all`),
      max_matches: z.int().min(1).max(HEAD_LIMIT_MAX).optional().describe("head_limit of lines"),
      max_results: z.int().min(1).max(HEAD_LIMIT_MAX).optional().describe("head_limit of files"),
      offset: z.int().min(0).max(OFFSET_MAX).optional().describe("Finds to skip"),
      include_ignored: z.boolean().optional().describe("Also what .gitignore names"),
    }),
  needs: { read: "workspace" },
  concurrency: "shared",
  timeoutMs: 60_000,
  run: async (args, context) => {
    const { pattern, path = ".", glob, type, output_mode: mode = "files_with_matches" } = args;
    const { files, signal, workspace } = context;
    const { lineTest } = await import("./line_pattern.ts");
    const matches = lineTest(pattern, {
      isLiteral: args.fixed_strings ?? false,
      ignoresCase: args.case_insensitive ?? false,
    });
    const fits = glob === undefined ? () => true : await globTest(glob);
    const isWanted = (found: string) =>
      fits(found) && (type === undefined || isOfType(found, type));
    const heedsIgnoreFiles = !(args.include_ignored ?? false);
    const around = { before: args.context_before ?? 0, after: args.context_after ?? 0 };
    const { search } = await import("./grep_search.ts");
    const outcome = await search({
      ...{ path, files, signal, matches, isWanted, heedsIgnoreFiles },
      blocksOf: (absolute, lines, matching) =>
        mode === "content"
          ? matchBlocks(shownPath(absolute, workspace), lines, matching, around)
          : [],
    });
    if (outcome.found.length === 0) {
      return textResult([`(Nothing matches in "${path}")`, ...outcome.notes].join("\n"));
    }
    const alias = mode === "content" ? args.max_matches : args.max_results;
    const limit = args.head_limit ?? alias ?? HEAD_LIMIT_DEFAULT;
    const range = { limit, offset: args.offset ?? 0 };
    return await show(outcome, { mode, range }, context);
  },
});

async function globTest(glob: string): Promise<(path: string) => boolean> {
  const { globMatcher } = await import("./glob_pattern.ts");
  return globMatcher(glob);
}

interface Showing {
  readonly mode: "content" | "files_with_matches" | "count";
  readonly range: FoundRange;
}

async function show(
  { root, found, notes }: SearchOutcome,
  { mode, range }: Showing,
  { files, workspace, resultCharsMax }: ToolContext,
): Promise<ToolResult> {
  const sorted = await newestFirst(found, { root, workspace, files });
  const byEntry = new Map<unknown, FileFound>(found.map((file) => [file, file]));
  const items = sorted.flatMap(({ entry, shown }) => {
    const { matchCount = 0, blocks = [] } = byEntry.get(entry) ?? {};
    if (mode === "content") return blocks;
    return mode === "count" ? [`${shown}: ${matchCount}`] : [shown];
  });
  const page = foundPage(items, range, pageChars(resultCharsMax));
  const total = found.reduce((sum, { matchCount }) => sum + matchCount, 0);
  const endings = [
    ...mode === "count" ? [`(${total} matches in ${found.length} files)`] : [],
    ...page.note === undefined ? [] : [page.note],
    ...notes,
  ];
  const body = page.shown.join(mode === "content" ? "\n\n" : "\n");
  return textResult(endings.length === 0 ? body : `${body}\n\n${endings.join("\n")}`);
}
