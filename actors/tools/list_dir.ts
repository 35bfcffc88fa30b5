/**
 * The `list_dir` tool: what is in a folder.
 * @module
 */

import { textResult } from "./define_tool.ts";
import { walkFolder } from "./folder_walk.ts";
import type { FileEntry } from "./tool.ts";
import { planTool, type ToolPlan } from "./tool_plan.ts";

const ENTRIES_DEFAULT = 200;
/** More are no help, and would not fit a result. */
const ENTRIES_MAX = 2_000;

/** The tool. */
export const listDir: ToolPlan = planTool({
  name: "list_dir",
  description: "List a folder. Folders end with /, links with @. Folders of build results and " +
    "dependencies (node_modules, .git, …) are left out.",
  parameters: (z) =>
    z.object({
      path: z.string().min(1).describe("Path, relative to the workspace or absolute"),
      recursive: z.boolean().optional().describe("All below it as well"),
      max_entries: z.int().min(1).max(ENTRIES_MAX).optional()
        .describe(`Entries at most (${ENTRIES_DEFAULT})`),
    }),
  needs: { read: "workspace" },
  concurrency: "shared",
  timeoutMs: 30_000,
  run: async (
    { path, recursive: isDeep = false, max_entries: entriesMax = ENTRIES_DEFAULT },
    { files, signal },
  ) => {
    const shown: string[] = [];
    let total = 0;
    const walk = walkFolder(path, { files, signal, isDeep });
    for await (const found of walk) {
      if (total++ < entriesMax) shown.push(found.path + mark(found.kind));
    }
    if (total === 0) return textResult(`(The folder "${path}" is empty)`);
    if (total > entriesMax) {
      const more = walk.isCut ? `more than ${total}` : `${total}`;
      shown.push("", `(First ${entriesMax} of ${more} entries)`);
    }
    return textResult([...shown, ...walk.notes].join("\n"));
  },
});

function mark(kind: FileEntry["kind"]): string {
  return kind === "directory" ? "/" : kind === "symlink" ? "@" : "";
}
