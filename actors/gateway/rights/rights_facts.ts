/**
 * What rights depend on: the configuration, and where things are on this machine.
 * @module
 */

import { dirname, join } from "node:path";
import { type ChannelEntry, entriesUnder } from "../../../channels/registry.ts";
import { instancesOf } from "../../../channels/manifest.ts";
import { chooseModels } from "../../../providers/model_choice.ts";
import { chooseTranscription } from "../../../providers/transcription/choice.ts";
import type { LoadedConfig } from "../../config/load_config.ts";
import type { HookConfig } from "../../config/schema/hooks.ts";
import { MODULE_FOLDERS } from "../../kernel/adapters/program_modules.ts";
import { INHERITED } from "../../tools/mcp/adapters/stdio_command.ts";
import { mcpEntries } from "../mcp_servers.ts";
import { folderOfModule, moduleUrl } from "../adapters/module_places.ts";
import { isPluginSection } from "../../config/plugin_channel.ts";
import { SKILLS_COPY } from "../../session/skills/adapters/bundled_skills.ts";
import type { Need, RightName } from "./need.ts";
import type { ShellLevelName } from "../../tools/shell/level.ts";
import { SYSTEM_FOLDERS } from "../../tools/shell/bwrap_arguments.ts";

/** A shell level and what the gateway needs for it; what commands do is not counted. */
export interface ShellFacts {
  readonly level: string;
  readonly programs: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly net: readonly string[];
  readonly variables: readonly string[];
  /** What it asks of the system, as `uid`. */
  readonly system: readonly string[];
  /** Why it needs more than others, and what that leaves open. */
  readonly remark?: string;
}

/** A channel that is switched on. */
export interface ChannelFacts {
  readonly name: string;
  readonly hosts: readonly string[];
  /** Where its module is, if that is not ours. */
  readonly folders: readonly string[];
}

/** An MCP server: a program or a host. */
export interface McpFacts {
  readonly name: string;
  readonly programs: readonly string[];
  readonly hosts: readonly string[];
}

/** A hook: a program, or a module that a host runs. */
export interface HookFacts {
  readonly name: string;
  readonly programs: readonly string[];
  /** Files and folders whose place is looked at. */
  readonly read: readonly string[];
}

/** Everything that the table asks for. All paths are absolute. */
export interface RightsFacts {
  /** Folders of our own modules that Workers are loaded from; none in a compiled binary. */
  readonly app: readonly string[];
  readonly denoPath: string;
  /**
   * What tools need of the gateway's own rights: nothing, as their hosts are started with flags. The
   * hosts of a compiled program are the program itself, with its rights at most.
   */
  readonly tools: readonly Need[];
  /** Where a compiled program puts its skills; null elsewhere. */
  readonly skillsFolder: string | null;
  readonly configFolder: string;
  readonly homeFolder: string;
  /** A variable names what `~` stands for. */
  readonly hasHomeVariable: boolean;
  readonly stateFolder: string;
  readonly mediaFolder: string;
  /** The workspace, as it is named and as it really is. */
  readonly workspaces: readonly string[];
  readonly extraFolders: { readonly read: readonly string[]; readonly write: readonly string[] };
  /** Names that are set and that the gateway reads. */
  readonly variables: readonly string[];
  readonly shell: ShellFacts | null;
  readonly models: readonly { readonly who: string; readonly host: string }[];
  readonly transcription: string | null;
  readonly channels: readonly ChannelFacts[];
  readonly mcp: readonly McpFacts[];
  readonly hooks: readonly HookFacts[];
  readonly health: string;
  /** Null where it is not served. */
  readonly api: string | null;
  /** Deno asks for a right to Unix sockets from 2.9 on. */
  readonly hasSocketRight: boolean;
}

/** What is asked of the machine. */
export interface Machine {
  readonly denoPath: string;
  /** Folder of the program's modules; null in a compiled binary. */
  readonly appFolder: string | null;
  readonly tempFolder: string;
  /** What `~` stands for. */
  readonly userHome: string;
  /** A variable names it, and is not empty. */
  readonly hasHomeVariable: boolean;
  /** Names of variables that are set. */
  readonly variables: readonly string[];
  readonly hasSocketRight: boolean;
  /** With symlinks resolved, as far as there is something. */
  real(path: string): string;
  /** Whether there is a program, as far as that can be seen. */
  has(program: string): boolean;
  /** What `auto` takes for the shell, where somebody has tried. */
  readonly triedLevel?: ShellLevelName | undefined;
}

/** What the gateway, and the processes it starts, read of the environment beside the settings. */
const VARIABLES = [
  ...["HOME", "USERPROFILE", "TROUPE_HOME", "INVOCATION_ID", "OTEL_DENO"],
  ...["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"],
  ...["NO_PROXY", "no_proxy"],
];
/** Where providers with a sign-in get their tokens. */
const TOKEN_HOSTS: Readonly<Record<string, string>> = {
  openai_codex: "auth.openai.com:443",
  github_copilot: "api.github.com:443",
};

/** Gathers the facts of a configuration. */
export function gatherFacts(loaded: LoadedConfig, machine: Machine): RightsFacts {
  const { config, locations, secrets, overrides } = loaded;
  const { appFolder, denoPath, hasSocketRight } = machine;
  const own = new Set([
    ...VARIABLES,
    ...secrets.interpolated,
    ...secrets.variables,
    ...overrides.map(({ variable }) => variable),
    ...config.tools.exec.allowedEnvKeys,
    ...(startsPrograms(loaded) ? INHERITED : []),
  ]);
  const { workspace } = locations;
  const real = (path: string) => machine.real(path.replace(/^~(?=[/\\]|$)/, machine.userHome));
  return {
    app: appFolder === null ? [] : MODULE_FOLDERS.map((name) => join(appFolder, name)),
    denoPath,
    tools: appFolder === null ? toolNeeds(loaded, real) : [],
    skillsFolder: appFolder === null ? join(dirname(locations.configFile), SKILLS_COPY) : null,
    configFolder: dirname(locations.configFile),
    homeFolder: locations.homeFolder,
    hasHomeVariable: machine.hasHomeVariable,
    stateFolder: locations.stateFolder,
    mediaFolder: locations.mediaFolder,
    workspaces: [...new Set([workspace, machine.real(workspace)])],
    extraFolders: {
      read: config.tools.readableFolders.map(real),
      write: config.tools.writableFolders.map(real),
    },
    variables: machine.variables.filter((name) => own.has(name)),
    shell: config.tools.exec.enable ? shellFacts(loaded, machine) : null,
    models: modelFacts(loaded),
    transcription: transcriptionHost(loaded),
    channels: entriesUnder(config.channels.enabled).flatMap((entry) => channelFacts(entry, loaded)),
    mcp: mcpFacts(loaded),
    hooks: config.hooks.map((hook) => hookFacts(hook, real)),
    health: hostAndPort(config.gateway.host, config.gateway.port),
    api: config.api.enabled ? hostAndPort(config.api.host, config.api.port) : null,
    hasSocketRight,
  };
}

const PROXY_REMARK =
  "every host, as the proxy of commands lives in the gateway and connects to the " +
  "addresses that it has looked up and checked, which no list of names covers; what keeps it from " +
  "private addresses, and to tools.allowedHosts, is the gateway's own check, not Deno. " +
  'tools.exec.network "none", or tools.exec.sandbox "virtual", leaves the exact hosts';

/** The level that `auto` will find, as far as that shows from outside. */
function shellFacts({ config }: LoadedConfig, machine: Machine): ShellFacts {
  const { sandbox, network } = config.tools.exec;
  const guessed = machine.has("bwrap") ? "bwrap" : "virtual";
  const level = sandbox === "auto" ? machine.triedLevel ?? guessed : sandbox;
  // Each level is tried at the start: what it should not reach listens on this machine.
  const none = {
    programs: [],
    read: [],
    write: [],
    net: ["127.0.0.1:0"],
    variables: [],
    system: [],
  };
  switch (level) {
    case "bwrap":
      return {
        ...none,
        level,
        programs: ["bwrap"],
        system: ["uid", "gid"],
        read: [machine.tempFolder, ...SYSTEM_FOLDERS],
        write: [machine.tempFolder],
        // The proxy of its commands runs in the gateway and reaches whatever hosts they name.
        net: network === "filtered" ? ["*"] : none.net,
        ...(network === "filtered" && { remark: PROXY_REMARK }),
      };
    case "virtual":
      return {
        ...none,
        level,
        programs: [machine.denoPath],
        // Elsewhere the interpreter's process has this by a flag of its own.
        system: machine.appFolder === null ? ["uid", "gid"] : [],
      };
    default:
      return { ...none, level, programs: ["sh"] };
  }
}

function toolNeeds(
  { config: { hooks, tools }, locations }: LoadedConfig,
  real: (path: string) => string,
): readonly Need[] {
  const all = (right: RightName, values: readonly string[]): readonly Need[] =>
    values.map((value) => ({ right, value }));
  const place = (path: string): string => path === "workspace" ? locations.workspace : real(path);
  const modules = [...tools.plugins, ...hooks].flatMap(({ module, rights }) => [
    ...all("read", [...rights.read.map(place), ...folderOfModule(moduleUrl(module ?? ""))]),
    ...all("write", rights.write.map(place)),
    ...all("net", rights.net),
  ]);
  return [
    ...all("net", tools.web.enable ? ["*"] : []), // what keeps it to public hosts is its own check
    ...(tools.restrictToWorkspace ? [] : [...all("read", ["*"]), ...all("write", ["*"])]),
    ...modules,
  ];
}

function modelFacts({ config }: LoadedConfig): RightsFacts["models"] {
  const chosen = chooseModels(config.agents.defaults, config.providers);
  if (chosen.state !== "chosen") return [];
  const choices = [chosen.choice, ...chosen.fallbacks.map(({ choice }) => choice)];
  return choices.flatMap(({ vendor, baseUrl }) => {
    const tokens = TOKEN_HOSTS[vendor.name];
    const who = vendor.displayName;
    const own = { who, host: hostOf(baseUrl) };
    return tokens === undefined ? [own] : [own, { who, host: tokens }];
  });
}

function transcriptionHost({ config, process }: LoadedConfig): string | null {
  if (Object.keys(config.channels.enabled).length === 0) return null;
  const service = chooseTranscription({
    provider: config.channels.transcriptionProvider,
    model: config.channels.transcriptionModel,
    providers: config.providers,
    fallbacks: process.transcription,
  });
  return service === null ? null : hostOf(service.url);
}

/** Programs that get a few names of our environment. */
function startsPrograms(loaded: LoadedConfig): boolean {
  return mcpFacts(loaded).some(({ programs }) => programs.length > 0) ||
    loaded.config.hooks.some(({ command }) => command !== null);
}

function hookFacts(
  { name, command, module }: HookConfig,
  real: (path: string) => string,
): HookFacts {
  if (command === null) {
    return { name, programs: [], read: folderOfModule(moduleUrl(module ?? "")) };
  }
  const paths = command.filter((word) => /^([/~]|[A-Za-z]:[/\\])/.test(word));
  const [program] = command;
  return {
    name,
    programs: [paths.includes(program) ? real(program) : program],
    read: paths.map(real),
  };
}

function mcpFacts(loaded: LoadedConfig): RightsFacts["mcp"] {
  return mcpEntries(loaded).map(({ name, kind }) => ({
    name,
    programs: kind.type === "stdio" ? [kind.program] : [],
    hosts: kind.type === "sse" || kind.type === "streamableHttp" ? [kind.host] : [],
  }));
}

function channelFacts(
  { manifest }: ChannelEntry,
  { config }: LoadedConfig,
): RightsFacts["channels"] {
  const section = config.channels.enabled[manifest.name];
  if (section === undefined) return [];
  const running = instancesOf(manifest, section).filter(({ skipped }) => skipped === null);
  const hosts = new Set(running.flatMap((instance) => manifest.hosts(instance.section)));
  const folders = [
    ...(isPluginSection(section) ? folderOfModule(moduleUrl(section.module)) : []),
    ...(manifest.reads?.(section) ?? []),
  ];
  return [{ name: manifest.name, hosts: [...hosts], folders }];
}

function hostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === "http:" ? "80" : "443")}`;
}

function hostAndPort(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
