/**
 * The tools for files and folders.
 * @module
 */

import { applyPatchTool } from "./apply_patch.ts";
import { editFileTool } from "./edit_file.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { listDirTool } from "./list_dir.ts";
import { notebookEditTool } from "./notebook_edit.ts";
import { readFileTool } from "./read_file.ts";
import type { Tool } from "./tool.ts";
import { writeFileTool } from "./write_file.ts";

/** All of them; what they need beyond zod they load when they are called. */
export const FILE_TOOLS: readonly Tool[] = [
  readFileTool,
  writeFileTool,
  editFileTool,
  applyPatchTool,
  listDirTool,
  globTool,
  grepTool,
  notebookEditTool,
];
