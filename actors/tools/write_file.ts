/**
 * The `write_file` tool: writes a whole file.
 * @module
 */

import { z } from "zod";
import { defineTool, textResult } from "./define_tool.ts";
import { writeText } from "./text_file.ts";
import type { Tool } from "./tool.ts";

/** The tool. */
export const writeFileTool: Tool = defineTool({
  name: "write_file",
  description: "Write a whole text file: makes it, with its folders, or replaces it. To change " +
    "a part of a file use edit_file.",
  parameters: z.object({
    path: z.string().min(1).describe("Path, relative to the workspace or absolute"),
    content: z.string().describe("The whole new text"),
  }),
  needs: { read: "workspace", write: "workspace" },
  concurrency: "exclusive",
  timeoutMs: 30_000,
  run: async ({ path, content }, context) => {
    const resolved = await writeText(path, content, context);
    return textResult(`Wrote ${content.length} characters to ${resolved}`);
  },
});
