/**
 * The host of the file tools: the workspace, and nothing else.
 * @module
 */

import { WorkspaceFiles } from "../../adapters/workspace_files.ts";
import type { Tool } from "../../tool.ts";
import type { HostInside, HostWorld } from "../host_inside.ts";
import type { HostSetup } from "../host_protocol.ts";
import { REFUSED } from "../refused_ports.ts";

const TOOLS: Readonly<Record<string, () => Promise<Tool>>> = {
  extract_document: async () => (await import("../../extract_document.ts")).extractDocumentTool,
  read_file: async () => (await import("../../read_file.ts")).readFileTool,
  write_file: async () => (await import("../../write_file.ts")).writeFileTool,
  edit_file: async () => (await import("../../edit_file.ts")).editFileTool,
  apply_patch: async () => (await import("../../apply_patch.ts")).applyPatchTool,
  notebook_edit: async () => (await import("../../notebook_edit.ts")).notebookEditTool,
  list_dir: async () => (await import("../../list_dir.ts")).listDirTool,
  glob: async () => (await import("../../glob.ts")).globTool,
  grep: async () => (await import("../../grep.ts")).grepTool,
};

/** Opens the host. */
export function openFilesKind({ rules }: HostSetup, { newId }: HostWorld): HostInside {
  const files = new WorkspaceFiles(rules, newId);
  return {
    context: { ...REFUSED, files },
    filesFor: (origin) => files.forSession(origin),
    find: (name) => Object.hasOwn(TOOLS, name) ? TOOLS[name]?.() : undefined,
  };
}
