/**
 * The host of the file tools: the workspace, and nothing else.
 * @module
 */

import { WorkspaceFiles } from "../../adapters/workspace_files.ts";
import type { ToolPlan } from "../../tool_plan.ts";
import { bareTool } from "../bare_tool.ts";
import type { HostInside, HostWorld } from "../host_inside.ts";
import type { HostSetup } from "../host_protocol.ts";
import { REFUSED } from "../refused_ports.ts";

/** The gateway has checked their arguments. */
const PLANS: Readonly<Record<string, () => Promise<ToolPlan>>> = {
  extract_document: async () => (await import("../../extract_document.ts")).extractDocument,
  read_file: async () => (await import("../../read_file.ts")).readFile,
  write_file: async () => (await import("../../write_file.ts")).writeFile,
  edit_file: async () => (await import("../../edit_file.ts")).editFile,
  apply_patch: async () => (await import("../../apply_patch.ts")).applyPatch,
  notebook_edit: async () => (await import("../../notebook_edit.ts")).notebookEdit,
  list_dir: async () => (await import("../../list_dir.ts")).listDir,
  glob: async () => (await import("../../glob.ts")).globFiles,
  grep: async () => (await import("../../grep.ts")).grepFiles,
};

/** Opens the host. */
export function openFilesKind({ rules }: HostSetup, { newId }: HostWorld): HostInside {
  const files = new WorkspaceFiles(rules, newId);
  return {
    context: { ...REFUSED, files },
    filesFor: (origin) => files.forSession(origin),
    find: (name) => {
      const load = Object.hasOwn(PLANS, name) ? PLANS[name] : undefined;
      return load?.().then((plan) => bareTool(name, plan.run));
    },
  };
}
