/**
 * The `list_dir` tool: what is in a folder.
 * @module
 */

import { z } from "zod";
import { defineTool, textResult } from "./define_tool.ts";
import type { FileEntry, Tool, ToolFiles } from "./tool.ts";

const ENTRIES_DEFAULT = 200;
/** Folders that hold what tools make, not what people write. */
const IGNORED = new Set(
  (".git node_modules __pycache__ .venv venv dist build .tox .mypy_cache .pytest_cache " +
    ".ruff_cache htmlcov").split(" "),
);

/** The tool. */
export const listDirTool: Tool = defineTool({
  name: "list_dir",
  description: "List a folder. Folders end with /. Folders of build results and dependencies " +
    "(node_modules, .git, …) are left out.",
  parameters: z.object({
    path: z.string().min(1).describe("Path, relative to the workspace or absolute"),
    recursive: z.boolean().optional().describe("All below it as well"),
    max_entries: z.int().min(1).optional().describe(`Entries at most (${ENTRIES_DEFAULT})`),
  }),
  needs: { read: "workspace" },
  concurrency: "shared",
  timeoutMs: 30_000,
  run: async ({ path, recursive = false, max_entries: entriesMax = ENTRIES_DEFAULT }, context) => {
    const shown: string[] = [];
    let total = 0;
    for await (const entry of walk(path, "", recursive, context.files, context.signal)) {
      if (total++ < entriesMax) shown.push(entry);
    }
    if (total === 0) return textResult(`(The folder "${path}" is empty)`);
    if (total > entriesMax) shown.push("", `(First ${entriesMax} of ${total} entries)`);
    return textResult(shown.join("\n"));
  },
});

async function* walk(
  folder: string,
  prefix: string,
  isRecursive: boolean,
  files: ToolFiles,
  signal: AbortSignal,
): AsyncGenerator<string> {
  signal.throwIfAborted();
  const entries = (await files.list(folder)).toSorted((a, b) => a.name < b.name ? -1 : 1);
  for (const entry of entries) {
    if (entry.kind === "directory" && IGNORED.has(entry.name)) continue;
    yield prefix + entry.name + mark(entry);
    // Links are shown, never followed: they may lead anywhere, or in a circle.
    if (isRecursive && entry.kind === "directory") {
      yield* walk(`${folder}/${entry.name}`, `${prefix}${entry.name}/`, true, files, signal);
    }
  }
}

function mark({ kind }: FileEntry): string {
  return kind === "directory" ? "/" : kind === "symlink" ? "@" : "";
}
