/**
 * The `glob` tool: files and folders by a pattern of their paths, newest first.
 * @module
 */

import { textResult } from "./define_tool.ts";
import { type WalkEntry, walkFolder } from "./folder_walk.ts";
import { foundPage, HEAD_LIMIT_DEFAULT, HEAD_LIMIT_MAX, OFFSET_MAX } from "./found_page.ts";
import { newestFirst } from "./newest_first.ts";
import { pageChars } from "./text_page.ts";
import { planTool, type ToolPlan } from "./tool_plan.ts";

/** The tool. */
export const globFiles: ToolPlan = planTool({
  name: "glob",
  description: "Find files by a pattern of their path, newest first: *.ts (by name, anywhere), " +
    "src/**/*.test.{ts,js} (by path). ** stands for any number of folders. Folders of build " +
    "results and dependencies are left out.",
  parameters: (z) =>
    z.object({
      pattern: z.string().min(1).describe("The pattern"),
      path: z.string().optional().describe("Folder to look in; the workspace if left out"),
      head_limit: z.int().min(0).max(HEAD_LIMIT_MAX).optional()
        .describe(`Finds at most (${HEAD_LIMIT_DEFAULT}); 0 for all`),
      max_results: z.int().min(1).max(HEAD_LIMIT_MAX).optional().describe("The same as head_limit"),
      offset: z.int().min(0).max(OFFSET_MAX).optional().describe("Finds to skip"),
      entry_type: z.enum(["files", "dirs", "both"]).optional().describe("What to find (files)"),
    }),
  needs: { read: "workspace" },
  concurrency: "shared",
  timeoutMs: 30_000,
  run: async (
    { pattern, path = ".", head_limit, max_results, offset = 0, entry_type: wanted = "files" },
    { files, signal, workspace, resultCharsMax },
  ) => {
    const { globMatcher } = await import("./glob_pattern.ts");
    const matches = globMatcher(pattern);
    const walk = walkFolder(path, { files, signal, isDeep: true });
    const found: WalkEntry[] = [];
    for await (const entry of walk) {
      const isFolder = entry.kind === "directory";
      if (wanted !== "both" && isFolder !== (wanted === "dirs")) continue;
      if (matches(entry.path)) found.push(entry);
    }
    const root = await files.resolve(path);
    const sorted = await newestFirst(found, { root, workspace, files });
    if (sorted.length === 0) {
      return textResult([`(Nothing matches "${pattern}" in "${path}")`, ...walk.notes].join("\n"));
    }
    const limit = head_limit ?? max_results ?? HEAD_LIMIT_DEFAULT;
    const page = foundPage(
      sorted.map((entry) => entry.shown),
      { limit, offset },
      pageChars(resultCharsMax),
    );
    const notes = page.note === undefined ? walk.notes : [page.note, ...walk.notes];
    return textResult([...page.shown, ...notes.length > 0 ? ["", ...notes] : []].join("\n"));
  },
});
