/**
 * Tools of others, from section `tools.plugins`: each module in hosts of its own, with the rights
 * that its entry names. What is wrong with one costs that one.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { LoadedConfig } from "../config/load_config.ts";
import type { PluginRights, ToolPluginConfig } from "../config/schema/tool_rules.ts";
import { Deadline } from "../kernel/deadline.ts";
import { asError } from "../kernel/errors.ts";
import type { HostRights, HostSetup } from "../tools/host/host_protocol.ts";
import { hostStarter } from "../tools/host/adapters/host_starter.ts";
import { ToolHosts } from "../tools/host/tool_hosts.ts";
import type { PathRules } from "../tools/path_policy.ts";
import {
  type CallPlugin,
  DESCRIBE_TOOLS,
  parsePluginTools,
  pluginTool,
  type PluginToolFacts,
} from "../tools/plugin_tool.ts";
import type { Tool, ToolNeeds } from "../tools/tool.ts";
import { folderOfModule, loadingProblem, moduleUrl, realPlace } from "./adapters/module_places.ts";
import { pathRules } from "./tool_wiring.ts";
import type { World } from "./world.ts";

const logger = getLogger(["troupe", "gateway", "plugins"]);

const MEMORY_BYTES_MAX = 500_000_000;
/** A module that takes longer to load is left out. */
const LOAD_MS = 15_000;

/** The plug-ins of a gateway; disposing ends their hosts. */
export interface WiredPlugins extends AsyncDisposable {
  readonly tools: readonly Tool[];
  /** One for each module. */
  readonly lines: readonly string[];
}

/** What plug-ins are wired with. */
export interface PluginOptions {
  readonly loaded: LoadedConfig;
  /** Absolute path. */
  readonly workspace: string;
  readonly world: World;
  /** Names that are taken: no plug-in replaces a tool of ours. */
  readonly taken: ReadonlySet<string>;
}

/** Loads all modules side by side, each in its own host. */
export async function wirePlugins(options: PluginOptions): Promise<WiredPlugins> {
  const { loaded: { config }, taken } = options;
  await using owned = new AsyncDisposableStack();
  const opened = await Promise.all(
    config.tools.plugins.map((entry) => open(entry, options, owned)),
  );
  const names = new Set(taken);
  const tools: Tool[] = [];
  const lines = opened.map(({ entry, found, problem }) => {
    if (problem !== null) {
      logger.warn("Plug-in {module} is off: {problem}", { module: entry.module, problem });
      return `Plug-in ${entry.module}: off: ${problem}`;
    }
    const free = found.filter(({ name }) => !names.has(name));
    for (const tool of free) names.add(tool.name);
    tools.push(...free);
    const skipped = found.filter((tool) => !free.includes(tool)).map(({ name }) => name);
    const own = free.map(({ name }) => name).join(", ") || "no tool";
    const clash = skipped.length === 0
      ? ""
      : ` (left out, as the name is taken: ${skipped.join(", ")})`;
    return `Plug-in ${entry.module}: ${own}${clash}`;
  });
  const hosts = owned.move();
  return { tools, lines, [Symbol.asyncDispose]: () => hosts.disposeAsync() };
}

interface OpenedPlugin {
  readonly entry: ToolPluginConfig;
  readonly found: readonly Tool[];
  readonly problem: string | null;
}

async function open(
  entry: ToolPluginConfig,
  { loaded, workspace, world }: PluginOptions,
  owned: AsyncDisposableStack,
): Promise<OpenedPlugin> {
  const problem = loadingProblem(moduleUrl(entry.module));
  if (problem !== null) return { entry, found: [], problem };
  const { start } = hostStarter();
  const setup = moduleSetup("plugin", entry, pathRules(loaded, workspace));
  const hosts = owned.use(
    new ToolHosts({ start, clock: world.clock, setupOf: () => setup }),
  );
  const callHost: CallPlugin = (call, signal) => hosts.call("plugin", call, signal);
  try {
    const facts = await describe(callHost, world);
    const needs = needsOf(entry.rights);
    const found = facts.map((tool) => pluginTool(tool, needs, callHost));
    return { entry, found, problem: null };
  } catch (error) {
    const problem = asError(error).message.split("\n")[0] ?? "";
    return { entry, found: [], problem };
  }
}

async function describe(
  callHost: CallPlugin,
  { clock }: World,
): Promise<readonly PluginToolFacts[]> {
  using deadline = new Deadline(clock, LOAD_MS, {
    makeReason: () => new TypeError(`it did not load within ${LOAD_MS / 1_000} s`),
  });
  const origin = { channel: "", chatId: "", sessionKey: "" };
  const call = { tool: DESCRIBE_TOOLS, args: {}, origin, reads: [] };
  const { result } = await callHost(call, deadline.signal);
  return parsePluginTools(JSON.parse(String(result.content)));
}

/** What a host of a module of others is started with: the rights of its entry, and its own folder. */
export function moduleSetup(
  kind: "plugin" | "hook",
  { module, rights }: ToolPluginConfig,
  rules: PathRules,
): HostSetup {
  const { workspace } = rules;
  const url = moduleUrl(module);
  const given: HostRights = {
    read: [...placesOf(rights.read, workspace), ...folderOfModule(url)],
    write: placesOf(rights.write, workspace),
    net: rights.net,
    memoryBytesMax: MEMORY_BYTES_MAX,
  };
  return { kind, rights: given, workspace, rules, settings: { module: url } };
}

/** Absolute paths of the places that an entry names. */
export function placesOf(places: readonly string[], workspace: string): string[] {
  return places.map((place) => place === "workspace" ? workspace : realPlace(place));
}

/** For the audit log: the rights of the entry, as far as tools' needs can tell them. */
function needsOf({ read, write, net }: PluginRights): ToolNeeds {
  return {
    ...(read.length > 0 && { read: "workspace" as const }),
    ...(write.length > 0 && { write: "workspace" as const }),
    ...(net.length > 0 && { net: "public" as const }),
  };
}
