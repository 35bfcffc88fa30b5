/**
 * The `notebook_edit` tool: changes the cells of a Jupyter notebook.
 * @module
 */

import { errorResult, textResult } from "./define_tool.ts";
import {
  type CellChange,
  changeCells,
  emptyNotebook,
  type Notebook,
  notebookSchema,
} from "./notebook.ts";
import { readWhole, writeText } from "./text_file.ts";
import type { ToolContext, ToolResult } from "./tool.ts";
import { planTool, type ToolPlan } from "./tool_plan.ts";

/** The tool. */
export const notebookEdit: ToolPlan = planTool({
  name: "notebook_edit",
  description: "Change a cell of a Jupyter notebook: replace its source, insert a new cell after " +
    "the one with cell_index (-1 inserts at the beginning), or delete it. Inserting makes a " +
    "missing notebook.",
  parameters: (z) =>
    z.object({
      path: z.string().min(1).describe("Path of the .ipynb file"),
      cell_index: z.int().min(-1).describe("Number of the cell, from 0"),
      new_source: z.string().optional().describe("The cell's new source"),
      cell_type: z.enum(["code", "markdown"]).optional()
        .describe("Of an inserted cell (code), or what a replaced one becomes"),
      edit_mode: z.enum(["replace", "insert", "delete"]).optional().describe("(replace)"),
    }),
  needs: { read: "workspace", write: "workspace" },
  concurrency: "exclusive",
  timeoutMs: 30_000,
  run: async (
    { path, cell_index: index, new_source: source = "", cell_type, ...rest },
    context,
  ) => {
    const change: CellChange = {
      mode: rest.edit_mode ?? "replace",
      index,
      source,
      type: cell_type,
    };
    if (!path.toLowerCase().endsWith(".ipynb")) {
      return errorResult(`Cannot edit "${path}": it is no notebook (.ipynb)`);
    }
    if (await context.files.info(path) === null) {
      if (change.mode !== "insert") return errorResult(`Cannot edit "${path}": no such file`);
      return await save(path, emptyNotebook(), { ...change, index: -1 }, context);
    }
    const { text } = await readWhole(path, context);
    const notebook = parse(text ?? "");
    if (notebook === undefined) {
      return errorResult(`Cannot edit "${path}": it is not the JSON of a notebook`);
    }
    return await save(path, notebook, change, context);
  },
});

async function save(
  path: string,
  notebook: Notebook,
  change: CellChange,
  context: ToolContext,
): Promise<ToolResult> {
  const changed = changeCells(notebook, change);
  if ("problem" in changed) return errorResult(`Cannot edit "${path}": ${changed.problem}`);
  const text = `${JSON.stringify(changed.notebook, null, 1)}\n`;
  const resolved = await writeText(path, text, context);
  const count = changed.notebook.cells.length;
  return textResult(`${changed.said} in ${resolved} (${count} cells)`);
}

function parse(text: string): Notebook | undefined {
  try {
    return notebookSchema.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
