/**
 * Where tools run and which paths they may touch, from the configuration.
 * @module
 */

import { join } from "node:path";
import type { LoadedConfig } from "../config/load_config.ts";
import { userHomeFolder } from "../kernel/adapters/user_home.ts";
import { asJson } from "../kernel/json.ts";
import { bundledSkillsFolder } from "../session/skills/adapters/bundled_skills.ts";
import { hostStarter } from "../tools/host/adapters/host_starter.ts";
import type { HostRights, HostSetup } from "../tools/host/host_protocol.ts";
import { ToolHosts } from "../tools/host/tool_hosts.ts";
import { type PathRules, stateInWorkspace } from "../tools/path_policy.ts";
import { RESULTS_FOLDER } from "../tools/result_folder.ts";
import type { ToolNet } from "../tools/tool.ts";
import { searchUsage } from "../tools/web/search_usage.ts";
import { type WebSettings, webSettingsOf } from "../tools/web/web_settings.ts";
import { fileIdentities, ignoresCase, realFolderOr } from "./adapters/local_folders.ts";
import { WORKSPACE_LOCK } from "./locks.ts";
import type { World } from "./world.ts";

/** A document of 50 MB unpacks and parses well below it. */
const HOST_MEMORY_BYTES_MAX = 700_000_000;

/** The hosts, and how to speak of them. */
export interface WiredHosts {
  readonly hosts: ToolHosts;
  /** What is said at the start; undefined where nothing is missing. */
  readonly line: string | undefined;
}

/** The path policy. `workspace` is its real path. */
export function pathRules({ config, locations }: LoadedConfig, workspace: string): PathRules {
  const { restrictToWorkspace, readableFolders, writableFolders } = config.tools;
  const homeFolder = userHomeFolder();
  const real = (path: string) => realFolderOr(path.replace(/^~(?=\/|$)/, homeFolder));
  const protectedPaths = [
    real(locations.stateFolder),
    real(locations.configFile),
    join(workspace, WORKSPACE_LOCK),
  ];
  return {
    workspace,
    homeFolder,
    isRestricted: restrictToWorkspace,
    readableRoots: [
      real(locations.mediaFolder),
      real(bundledSkillsFolder(locations.configFolder)),
      ...readableFolders.map(real),
    ],
    writableRoots: writableFolders.map(real),
    protectedPaths,
    secretPaths: [real(locations.configFile), ...othersMemory(config, workspace)],
    separateFolder: keepsMemoryApart(config)
      ? realFolderOr(join(workspace, RESULTS_FOLDER))
      : undefined,
    sentFolder: keepsMemoryApart(config)
      ? { named: locations.mediaFolder, real: real(locations.mediaFolder) }
      : undefined,
    foldsCase: ignoresCase(),
  };
}

/** What one person or chat must not read of another, where their memories are kept apart. */
function othersMemory(
  config: LoadedConfig["config"],
  workspace: string,
): readonly string[] {
  if (!keepsMemoryApart(config)) return [];
  const inMemory = ["scopes", ".versions", ".pending", "history.jsonl"];
  const names = ["sessions", ...inMemory.map((name) => `memory/${name}`)];
  return names.map((name) => join(workspace, name));
}

function keepsMemoryApart({ agents: { defaults } }: LoadedConfig["config"]): boolean {
  return defaults.memoryScope !== "global";
}

/** The hosts; whoever takes them disposes of them. */
export function wireHosts(loaded: LoadedConfig, rules: PathRules, world: World): WiredHosts {
  const { start, isProcess } = hostStarter();
  const hosts = new ToolHosts({
    start,
    clock: world.clock,
    setupOf: (kind) => kind === "files" ? filesSetup(rules) : webSetup(loaded, rules),
  });
  const line = isProcess
    ? undefined
    : "Tool hosts: threads of the gateway, as it may not start processes (--allow-run=deno is " +
      "missing): a tool that never ends keeps a core busy until the gateway stops";
  return { hosts, line };
}

function filesSetup(rules: PathRules): HostSetup {
  const { workspace, isRestricted, readableRoots, writableRoots = [], protectedPaths } = rules;
  const rights: HostRights = {
    read: isRestricted ? [workspace, ...readableRoots, ...writableRoots] : true,
    write: isRestricted ? [workspace, ...writableRoots] : true,
    net: false,
    denyWrite: [...stateInWorkspace(rules), ...protectedPaths],
    memoryBytesMax: HOST_MEMORY_BYTES_MAX,
  };
  const own = { ...rules, protectedIdentities: fileIdentities(protectedPaths) };
  return { kind: "files", rights, workspace, rules: own, settings: {} };
}

/** What the web tools are made with. */
export function webSettings({ config, process }: LoadedConfig): WebSettings {
  const { maxToolResultChars } = config.agents.defaults;
  return webSettingsOf(config.tools, process.webSearch, maxToolResultChars);
}

/** Asks the search service what is left, where it is one that tells. */
export function wireSearchUsage(
  loaded: LoadedConfig,
  net: ToolNet,
): ((signal: AbortSignal) => Promise<string>) | undefined {
  const { web } = loaded.config.tools;
  if (!web.enable || web.search.provider !== "tavily") return undefined;
  const { search } = webSettings(loaded);
  return (signal) => searchUsage(search, net, signal);
}

function webSetup(loaded: LoadedConfig, rules: PathRules): HostSetup {
  const rights = { read: false, write: false, net: true, memoryBytesMax: HOST_MEMORY_BYTES_MAX };
  const settings = asJson({ ...webSettings(loaded) });
  return { kind: "web", rights, workspace: rules.workspace, rules, settings };
}
