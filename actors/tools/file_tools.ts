/**
 * The tools for files and folders, with the schemas by which their arguments are checked.
 * @module
 */

import { z } from "zod";
import { applyPatch } from "./apply_patch.ts";
import { editFile } from "./edit_file.ts";
import { extractDocument } from "./extract_document.ts";
import { globFiles } from "./glob.ts";
import { grepFiles } from "./grep.ts";
import { listDir } from "./list_dir.ts";
import { notebookEdit } from "./notebook_edit.ts";
import { readFile } from "./read_file.ts";
import type { Tool } from "./tool.ts";
import { writeFile } from "./write_file.ts";

/** Reads what people send; models have read_file. */
export const extractDocumentTool: Tool = extractDocument.define(z);
/** Reads. */
export const readFileTool: Tool = readFile.define(z);
/** Writes a whole file. */
export const writeFileTool: Tool = writeFile.define(z);
/** Changes one stretch of a file. */
export const editFileTool: Tool = editFile.define(z);
/** Changes several files at once. */
export const applyPatchTool: Tool = applyPatch.define(z);
/** Shows what is in a folder. */
export const listDirTool: Tool = listDir.define(z);
/** Finds files by their paths. */
export const globTool: Tool = globFiles.define(z);
/** Finds lines in files. */
export const grepTool: Tool = grepFiles.define(z);
/** Changes a notebook. */
export const notebookEditTool: Tool = notebookEdit.define(z);

/** All that models have; what they need beyond zod they load when they are called. */
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
