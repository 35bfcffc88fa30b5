/**
 * The tools that sessions use, and what they reach: made from the configuration, and made anew
 * beside the old ones when it is edited, which running turns go on with.
 * @module
 */

import type { LoadedConfig } from "../config/load_config.ts";
import { asJson } from "../kernel/json.ts";
import type { SessionServices } from "../session/ports.ts";
import { WorkspaceFiles } from "../tools/adapters/workspace_files.ts";
import { FILE_TOOLS } from "../tools/file_tools.ts";
import { foreignFilesTool } from "../tools/foreign_files.ts";
import { hostedTool } from "../tools/host/hosted_tool.ts";
import type { ToolHosts } from "../tools/host/tool_hosts.ts";
import { messageTool } from "../tools/message.ts";
import { createToolNet } from "../tools/net/adapters/tool_net.ts";
import type { PathRules } from "../tools/path_policy.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { type Tool, ToolError, type ToolOrigin, type ToolProcesses } from "../tools/tool.ts";
import { webTools } from "../tools/web/web_tools.ts";
import { realFolderOr } from "./adapters/local_folders.ts";
import { type MemoryOfTools, memoryTool } from "./memory_tools.ts";
import { selfTools } from "./self_wiring.ts";
import { webSettings, wireHosts } from "./tool_wiring.ts";
import type { World } from "./world.ts";

/** What tools are made with, whatever the configuration. */
export interface ToolboxGround {
  readonly world: World;
  readonly rules: PathRules;
  readonly memory: MemoryOfTools;
  readonly processes: ToolProcesses | undefined;
}

/** The tools of one configuration. */
export interface Toolbox {
  readonly registry: ToolRegistry;
  /** Those it was made with. */
  readonly tools: readonly Tool[];
  readonly hosts: ToolHosts;
  /** What is said of the hosts at the start; undefined where nothing is missing. */
  readonly hostsLine: string | undefined;
  readonly context: SessionServices["toolContext"];
  /** What hosts of the web are started with. */
  readonly webKey: string;
}

/**
 * Makes the tools.
 *
 * @param others tools that are made elsewhere
 * @param before those of the configuration before: what was added to them is kept, and hosts that
 * would be the same are
 */
export function makeToolbox(
  loaded: LoadedConfig,
  { world, rules, memory, processes }: ToolboxGround,
  others: readonly Tool[],
  before?: Toolbox,
): Toolbox {
  const webKey = JSON.stringify(asJson({ ...webSettings(loaded) }));
  const { hosts, line: hostsLine } = before?.webKey === webKey
    ? { hosts: before.hosts, line: before.hostsLine }
    : wireHosts(loaded, rules, world);
  const tools = [...toolsOf(loaded), ...others];
  const wrapped = tools.map((tool) =>
    foreignFilesTool(memoryTool(hostedTool(tool, hosts), memory), sentFolders(loaded))
  );
  return {
    registry: before?.registry.remade(wrapped) ?? new ToolRegistry(world.clock, wrapped),
    tools,
    hosts,
    hostsLine,
    context: toolContextOf(loaded, { world, rules, processes }),
    webKey,
  };
}

function toolsOf(loaded: LoadedConfig): readonly Tool[] {
  const { web } = loaded.config.tools;
  const always = [...FILE_TOOLS, messageTool, ...selfTools(loaded)];
  const forWeb = web.enable ? webTools(webSettings(loaded)) : [];
  return [...always, ...forWeb];
}

/** Where channels put what people send. */
function sentFolders({ locations: { mediaFolder } }: LoadedConfig): readonly string[] {
  return [...new Set([mediaFolder, realFolderOr(mediaFolder)])];
}

function toolContextOf(
  { config: { tools } }: LoadedConfig,
  { world, rules, processes }: Omit<ToolboxGround, "memory">,
): SessionServices["toolContext"] {
  const { workspace } = rules;
  const files = new WorkspaceFiles(rules, world.newId);
  const net = createToolNet({
    clock: world.clock,
    allowedRanges: tools.ssrfWhitelist,
    allowedHosts: tools.allowedHosts,
    proxy: tools.web.proxy,
  });
  const filesFor = (origin: ToolOrigin) => files.forSession(origin);
  return { workspace, files, filesFor, processes: processes ?? NO_PROCESSES, net };
}

const NO_PROCESSES: ToolProcesses = {
  run: () =>
    Promise.reject(new ToolError("not_available", "Cannot run commands: there is no shell")),
};
