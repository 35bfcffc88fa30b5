/**
 * Hooks, from section `hooks`: programs and modules of the owner's. What is wrong with one costs
 * that one, and the calls of tools that it has to agree to.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { resolve } from "node:path";
import type { LoadedConfig } from "../config/load_config.ts";
import type { HookConfig } from "../config/schema/hooks.ts";
import { Deadline } from "../kernel/deadline.ts";
import { asError } from "../kernel/errors.ts";
import { scriptHook } from "../tools/hooks/adapters/script_hook.ts";
import { HookError, type RunHook } from "../tools/hooks/hook.ts";
import type { HookedCall, HookNews, HooksPort } from "../tools/hooks/hook_event.ts";
import { Hooks } from "../tools/hooks/hooks.ts";
import { describeHooks, moduleHook } from "../tools/hooks/module_hook.ts";
import { hostStarter } from "../tools/host/adapters/host_starter.ts";
import { ToolHosts } from "../tools/host/tool_hosts.ts";
import { contains } from "../tools/path_policy.ts";
import {
  fileOfModule,
  isThere,
  loadingProblem,
  moduleUrl,
  realPlace,
} from "./adapters/module_places.ts";
import { moduleSetup } from "./plugin_wiring.ts";
import { patternOf } from "./rights/command_pattern.ts";
import { pathRules } from "./tool_wiring.ts";
import type { World } from "./world.ts";

const logger = getLogger(["troupe", "gateway", "hooks"]);

/** A module that takes longer to load is off. */
const LOAD_MS = 15_000;

const UNGUARDED = "Hooks: tools can change their files, as tools.restrictToWorkspace is false";

/** The hooks of a configuration; disposing ends their hosts and programs. */
interface WiredHooks extends AsyncDisposable {
  readonly port: HooksPort;
  /** What is said at the start, one for each. */
  readonly lines: readonly string[];
}

/** What hooks are wired with. */
export interface HookWiring {
  readonly loaded: LoadedConfig;
  /** Real path. */
  readonly workspace: string;
  readonly world: Pick<World, "clock">;
  /** @default those of the configuration */
  readonly secretsNow?: () => readonly string[];
}

/**
 * The hooks of the configuration that holds. Where there are none it costs nothing to tell them.
 * Disposing ends those that are there.
 */
export class LiveHooks implements HooksPort, AsyncDisposable {
  readonly #options: HookWiring & { readonly print: (line: string) => void };
  #wired: WiredHooks | undefined;

  private constructor(options: HookWiring & { readonly print: (line: string) => void }) {
    this.#options = options;
  }

  /** Loads those of the first configuration, and tells of each. */
  static async open(
    options: HookWiring & { readonly print: (line: string) => void },
  ): Promise<LiveHooks> {
    const hooks = new LiveHooks(options);
    await hooks.change(options.loaded);
    return hooks;
  }

  tell(news: HookNews): void {
    this.#wired?.port.tell(news);
  }

  async refusal(call: HookedCall, signal: AbortSignal): Promise<string | null> {
    return await this.#wired?.port.refusal(call, signal) ?? null;
  }

  /**
   * Has the hooks of another configuration. Until they are loaded those of before are asked, so
   * that no call goes by unseen. One change at a time.
   */
  async change(next: LoadedConfig): Promise<void> {
    const wired = await wireHooks({ ...this.#options, loaded: next });
    for (const line of wired?.lines ?? []) this.#options.print(line);
    const before = this.#wired;
    this.#wired = wired;
    await before?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#wired?.[Symbol.asyncDispose]();
  }
}

/** Loads all modules side by side; undefined where there are no hooks. */
async function wireHooks(options: HookWiring): Promise<WiredHooks | undefined> {
  const { loaded: { config, secrets }, world: { clock } } = options;
  const { secretsNow = () => secrets.values } = options;
  if (config.hooks.length === 0) return undefined;
  await using owned = new AsyncDisposableStack();
  const opened = await Promise.all(config.hooks.map((entry) => open(entry, options, owned)));
  const hooks = owned.use(
    new Hooks({
      clock,
      get secrets() {
        return secretsNow();
      },
      hooks: opened.map(({ entry, run }) => ({ ...optionsOf(entry), run })),
    }),
  );
  const held = owned.move();
  return {
    port: hooks,
    lines: [
      ...opened.map(lineOf),
      ...(config.tools.restrictToWorkspace ? [] : [UNGUARDED]),
    ],
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

function optionsOf({ name, on, tools, timeout, onFailure }: HookConfig) {
  const patterns = tools.map(patternOf);
  return {
    name,
    on: new Set(on),
    isFor: (tool: string) => patterns.some((pattern) => pattern.test(tool)),
    timeoutMs: timeout * 1_000,
    onFailure,
  };
}

interface OpenedHook {
  readonly entry: HookConfig;
  readonly run: RunHook;
  readonly problem: string | null;
}

/** One that cannot work fails at each event, as its entry says what that means. */
async function open(
  entry: HookConfig,
  options: HookWiring,
  owned: AsyncDisposableStack,
): Promise<OpenedHook> {
  const off = (problem: string): OpenedHook => ({
    entry,
    problem,
    run: () => Promise.reject(new HookError(`it is off: ${problem}`)),
  });
  try {
    const { loaded, workspace } = options;
    const { writableRoots = [] } = pathRules(loaded, workspace);
    const roots = [workspace, ...writableRoots];
    const places = placesOf(entry, workspace);
    const inside = places.find((place) => roots.some((root) => contains(root, place)));
    if (inside !== undefined) {
      return off(`${inside} stands where the assistant could change it; put it somewhere else`);
    }
    const run = entry.command === null
      ? await openModule(entry, options, owned)
      : openScript(entry.command, workspace);
    return { entry, problem: null, run };
  } catch (error) {
    return off(asError(error).message.split("\n")[0] ?? "");
  }
}

function openScript([program, ...args]: readonly [string, ...string[]], folder: string): RunHook {
  return scriptHook({ words: [realProgram(program), ...args], folder });
}

async function openModule(
  { module, rights, on }: HookConfig,
  { loaded, workspace, world: { clock } }: HookWiring,
  owned: AsyncDisposableStack,
): Promise<RunHook> {
  const named = module ?? "";
  const problem = loadingProblem(moduleUrl(named));
  if (problem !== null) throw new HookError(problem);
  const setup = moduleSetup("hook", { module: named, rights }, pathRules(loaded, workspace));
  const { start } = hostStarter();
  const hosts = owned.use(new ToolHosts({ start, clock, setupOf: () => setup }));
  const callHost = hosts.call.bind(hosts, "hook");
  using deadline = new Deadline(clock, LOAD_MS, {
    makeReason: () => new HookError(`it did not load within ${LOAD_MS / 1_000} s`),
  });
  const found = await describeHooks(callHost, deadline.signal);
  const missing = on.filter((name) => !found.includes(name));
  if (missing.length > 0) {
    throw new HookError(`it exports no function ${missing.join(", ")}`);
  }
  return moduleHook(callHost);
}

function lineOf({ entry: { name, on, onFailure }, problem }: OpenedHook): string {
  if (problem === null) return `Hook ${name}: on ${on.join(", ")}`;
  logger.warn("Hook {name} is off: {problem}", { name, problem });
  const isGuard = on.includes("tool_before") && onFailure === "refuse";
  return `Hook ${name}: off: ${problem}${
    isGuard ? "; calls that it has to agree to are refused" : ""
  }`;
}

/** Files that decide what it does. */
function placesOf({ command, module }: HookConfig, folder: string): readonly string[] {
  if (command === null) return fileOfModule(moduleUrl(module ?? ""));
  return command.flatMap((word, index) => placesIn(word, folder, index > 0));
}

/** Files that a word of a command names, also behind `--flag=`; it is run in `folder`. */
function placesIn(word: string, folder: string, isArgument: boolean): readonly string[] {
  const path = word.replace(/^-[^=]*=/, "");
  if (/^([/~]|[A-Za-z]:[/\\])/.test(path)) return [realPlace(path)];
  const place = realPlace(resolve(folder, path));
  // A single word may as well be a subcommand, or a program in PATH.
  const isNamed = isArgument && (/[/\\]/.test(path) || isThere(place));
  return isNamed && !/^[a-z]+:/i.test(path) ? [place] : [];
}

/** A program without a folder is looked for in PATH. */
function realProgram(program: string): string {
  return /^~[/\\]/.test(program) ? realPlace(program) : program;
}
