/**
 * The shell of the tools, from the configuration: its level, its guard, and who keeps commands
 * that run on.
 * @module
 */

import { delimiter } from "node:path";
import type { LoadedConfig } from "../config/load_config.ts";
import { asError } from "../kernel/errors.ts";
import type { ActorRef } from "../kernel/ref.ts";
import { commandEnvironment } from "../tools/adapters/command_environment.ts";
import { WorkspaceFiles } from "../tools/adapters/workspace_files.ts";
import { execTool } from "../tools/exec.ts";
import { listExecSessionsTool, writeStdinTool } from "../tools/exec_sessions.ts";
import { type BoundaryRules, NetBoundary } from "../tools/net/boundary.ts";
import { type PathRules, stateInWorkspace } from "../tools/path_policy.ts";
import { openShellLevel, PROBED_ADDRESSES } from "../tools/shell/adapters/open_shell.ts";
import type { LevelChoice } from "../tools/shell/choose_level.ts";
import type { CommandGuard, GuardOptions } from "../tools/shell/guard.ts";
import type { ShellLevel, ShellLevelName } from "../tools/shell/level.ts";
import { Shell } from "../tools/shell/shell.ts";
import type { ShellSessionsMessage } from "../tools/shell/shell_session_protocol.ts";
import { shellSessions } from "../tools/shell/shell_sessions.ts";
import { type Tool, ToolError, type ToolProcesses } from "../tools/tool.ts";
import { realFolder } from "./adapters/local_folders.ts";
import { pathRules } from "./tool_wiring.ts";
import type { World } from "./world.ts";

/** The shell as the gateway uses it; disposing ends its level, after the actors. */
export interface WiredShell extends AsyncDisposable {
  /** What is said of it at the start, once it was tried. */
  readonly line: Promise<string>;
  /** The level that was taken; null where there is none. */
  readonly level: Promise<ShellLevelName | null>;
  /** Whether commands can run at all, once it was tried. */
  readonly works: Promise<boolean>;
  /** Where commands run to their end; undefined where there is no shell. */
  readonly processes: ToolProcesses | undefined;
  /** Its tools, with the actor that keeps commands which run on. */
  tools(spawn: SpawnSessions): readonly Tool[];
  /** Goes by the rules of another configuration from now on. @returns its tools for that */
  change(next: LoadedConfig): readonly Tool[];
}

/** Starts the actor that keeps sessions. */
export type SpawnSessions = (
  definition: ReturnType<typeof shellSessions>,
) => ActorRef<ShellSessionsMessage>;

/**
 * Opens the shell beside all else, once `begin` has resolved: trying it takes processes of its own,
 * which would hold up a start. Where what was asked for does not work, commands
 * are refused with the reason, and never run at a weaker level.
 */
export function wireShell(
  loaded: LoadedConfig,
  world: World,
  begin: Promise<void> = Promise.resolve(),
): WiredShell {
  const { config: { tools }, locations } = loaded;
  if (!tools.exec.enable) return NO_SHELL;
  const rules = pathRules(loaded, realFolder(locations.workspace));
  const { workspace } = rules;
  const env = commandEnvironment(tools.exec);
  const boundary = new NetBoundary(rulesOf(loaded));
  const open = () =>
    openShellLevel({
      clock: world.clock,
      newId: world.newId,
      wanted: tools.exec.sandbox,
      network: tools.exec.network,
      scope: scopeOf(rules),
      programFolders: tools.exec.pathAppend.split(delimiter).filter((path) => path.startsWith("/")),
      stateFolder: locations.stateFolder,
      env,
      boundary,
      allowedAddresses: PROBED_ADDRESSES.filter((address) => isAllowed(boundary, address)),
    });
  const opening = begin.then(open)
    .catch((error): LevelChoice => ({ state: "none", problem: asError(error).message }));
  const level = async (): Promise<ShellLevel> => {
    const choice = await opening;
    if (choice.state === "chosen") return choice.level;
    throw new ToolError("not_available", `Error: commands are ${offLine(loaded, choice.problem)}`);
  };
  const files = new WorkspaceFiles(rules, world.newId);
  const home = env["HOME"] ?? "/tmp";
  let guard = guardOf(loaded, rules, { level, boundary, home });
  let sessions: ActorRef<ShellSessionsMessage> | undefined;
  const shell = new Shell({
    clock: world.clock,
    workspace,
    level,
    get guard() {
      return guard;
    },
    resolveFolder: (path) => files.resolve(path),
  });
  return {
    line: opening.then((choice) =>
      choice.state === "none"
        ? offLine(loaded, choice.problem)
        : [`${choice.level.name}: ${choice.level.description}`, ...choice.passedOver].join("; ")
    ),
    level: opening.then((choice) => choice.state === "chosen" ? choice.level.name : null),
    works: opening.then((choice) => choice.state === "chosen"),
    processes: shell,
    tools(spawn) {
      sessions = spawn(shellSessions({ open: (command) => shell.open(command) }));
      return toolsOn(sessions, loaded);
    },
    change(next) {
      boundary.change(rulesOf(next));
      guard = guardOf(next, rules, { level, boundary, home });
      return sessions === undefined ? [] : toolsOn(sessions, next);
    },
    async [Symbol.asyncDispose]() {
      await shell[Symbol.asyncDispose](); // a look for what skills need may be under way
      const choice = await opening;
      if (choice.state === "chosen") await choice.level[Symbol.asyncDispose]();
    },
  };
}

const NO_SHELL: WiredShell = {
  line: Promise.resolve("off"),
  level: Promise.resolve(null),
  works: Promise.resolve(false),
  processes: undefined,
  tools: () => [],
  change: () => [],
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

function toolsOn(
  sessions: ActorRef<ShellSessionsMessage>,
  { config: { tools: { exec } } }: LoadedConfig,
): readonly Tool[] {
  return [
    execTool(exec.timeout, sessions),
    writeStdinTool(sessions),
    listExecSessionsTool(sessions),
  ];
}

function rulesOf({ config: { tools } }: LoadedConfig): BoundaryRules {
  return { allowedRanges: tools.ssrfWhitelist, allowedHosts: tools.allowedHosts };
}

function isAllowed(boundary: NetBoundary, address: string): boolean {
  try {
    boundary.checkHost(address);
    return true;
  } catch {
    return false;
  }
}

function offLine({ config }: LoadedConfig, problem: string): string {
  return `off, as tools.exec.sandbox is "${config.tools.exec.sandbox}" and ${problem}`;
}

function scopeOf(rules: PathRules): Parameters<typeof openShellLevel>[0]["scope"] {
  const { workspace, isRestricted, readableRoots, writableRoots = [], protectedPaths } = rules;
  // Commands see nothing of either: the level is everybody's.
  const { separateFolder, sentFolder } = rules;
  return {
    ...{ workspace, isRestricted, writableRoots },
    readableRoots: readableRoots.filter((root) => root !== sentFolder?.real),
    readOnlyPaths: [
      ...["sessions", "cron", "memory"].map((name) => `${workspace}/${name}`),
      ...stateInWorkspace(rules),
    ],
    hiddenPaths: [
      ...protectedPaths,
      ...(rules.secretPaths ?? []),
      ...(separateFolder === undefined ? [] : [separateFolder]),
      ...(sentFolder === undefined ? [] : [sentFolder.real]),
    ],
  };
}

function guardOf(
  { config: { tools } }: LoadedConfig,
  rules: PathRules,
  { level, boundary, home }: {
    readonly level: () => Promise<ShellLevel>;
    readonly boundary: NetBoundary;
    readonly home: string;
  },
): Pick<CommandGuard, "check"> {
  const { workspace, isRestricted, readableRoots, writableRoots = [] } = rules;
  return guardOnceAsked({
    ...{ workspace, home, isRestricted },
    folders: [...readableRoots, ...writableRoots],
    protectedPaths: [...stateInWorkspace(rules), ...rules.protectedPaths],
    denyPatterns: tools.exec.denyPatterns,
    allowPatterns: tools.exec.allowPatterns,
    checkHost: async (hostname) => {
      const host = boundary.checkHost(hostname);
      const reachesAll = tools.exec.network === "host" || (await level()).name === "process";
      if (reachesAll || /(^|\.)localhost$/.test(host)) boundary.checkUnresolved(host);
    },
  });
}

/** Reading commands takes a parser, which no start waits for. */
function guardOnceAsked(options: GuardOptions): Pick<CommandGuard, "check"> {
  let made: Promise<CommandGuard> | undefined;
  const make = async () => {
    const { CommandGuard } = await import("../tools/shell/guard.ts");
    return new CommandGuard(options);
  };
  return { check: async (text, folder) => await (await (made ??= make())).check(text, folder) };
}
