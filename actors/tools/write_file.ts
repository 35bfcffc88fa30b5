/**
 * The `write_file` tool: writes a whole file.
 * @module
 */

import { textResult } from "./define_tool.ts";
import { writeText } from "./text_file.ts";
import { planTool, type ToolPlan } from "./tool_plan.ts";

/** The tool. */
export const writeFile: ToolPlan = planTool({
  name: "write_file",
  description: "Write a whole text file: makes it, with its folders, or replaces it. To change " +
    "a part of a file use edit_file.",
  parameters: (z) =>
    z.object({
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
