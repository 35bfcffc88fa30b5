/**
 * Level `bwrap`: each command in namespaces of its own, made by bubblewrap. It sees a read-only
 * system, the workspace, and of the network what the gateway's proxy lets through.
 * @module
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../../kernel/clock.ts";
import { asError } from "../../../kernel/errors.ts";
import { ToolError } from "../../tool.ts";
import {
  bwrapArguments,
  type BwrapPlan,
  type HiddenPath,
  INSIDE,
  SYSTEM_FOLDERS,
  type SystemFolder,
} from "../bwrap_arguments.ts";
import {
  SHELL_LIMITS,
  type ShellLevel,
  type ShellLevelName,
  type ShellLimits,
  type ShellScope,
  type ShellStart,
} from "../level.ts";
import { ChildShellProcess } from "./child_process.ts";
import { CommandProxy, type CommandProxyOptions } from "./command_proxy.ts";
import type { Lifeline } from "./lifeline.ts";
import { COMMAND_MARK, killByShell, PATH_ONLY } from "./marked_processes.ts";
import { LIMITED, limitNames, spawnShell } from "./process_level.ts";
import { ShellFolder } from "./shell_folder.ts";
import { OutsideWatch } from "./outside_watch.ts";
import { canWatch, TreeWatch } from "./tree_watch.ts";

/** Where programs inside find the proxy. */
export const PROXY_PORT = 3128;

/** How commands run. */
export interface BwrapLevelOptions {
  readonly clock: Clock;
  readonly scope: ShellScope;
  /** The whole environment of a command. */
  readonly env: Readonly<Record<string, string>>;
  readonly network: "filtered" | "none" | "host";
  readonly boundary: CommandProxyOptions["boundary"];
  /** @default the system's resolver */
  readonly lookUp?: CommandProxyOptions["lookUp"];
  /** @default SHELL_LIMITS */
  readonly limits?: ShellLimits;
  /** Ends commands when the gateway is killed; the level's to dispose of. @default none */
  readonly lifeline?: Lifeline;
}

/** Runs commands in bubblewrap. */
export class BwrapLevel implements ShellLevel {
  readonly name: ShellLevelName = "bwrap";
  readonly description: string;
  readonly #options: BwrapLevelOptions;
  readonly #base: Omit<BwrapPlan, "folder">;
  readonly #owned: AsyncDisposableStack;
  readonly #canWatch = canWatch();

  /**
   * Prepares the level: the proxy listens, the small files are written.
   *
   * @throws when the temporary folder or the socket cannot be made
   */
  static async open(options: BwrapLevelOptions): Promise<BwrapLevel> {
    await using opening = new AsyncDisposableStack();
    if (options.lifeline !== undefined) opening.use(options.lifeline);
    const { path: folder } = opening.use(await ShellFolder.make());
    const files = await writeSmallFiles(folder);
    const extras: (readonly [string, string])[] = options.scope.isRestricted
      ? files.map(({ path, name }) => [path, `/etc/${name}`] as const)
      : [];
    let env = { ...options.env, ...limitNames(options.limits ?? SHELL_LIMITS) };
    if (options.network === "filtered") {
      const way = join(folder, "way");
      await Deno.mkdir(way, { mode: 0o700 });
      const socket = join(way, "proxy.sock");
      opening.use(CommandProxy.listen(socket, options));
      extras.push(
        [way, `${INSIDE}/way`],
        [Deno.execPath(), `${INSIDE}/deno`],
      );
      // The compiled binary has the relay in it.
      if (!Deno.build.standalone) extras.push([RELAY_MODULE, `${INSIDE}/relay.ts`]);
      env = { ...env, ...proxyNames() };
    }
    const base = {
      scope: options.scope,
      hidden: await hiddenPaths(options.scope.hiddenPaths),
      system: await systemFolders(),
      home: options.env["HOME"] ?? "/tmp",
      env,
      sharesNetwork: options.network === "host",
      extras,
    };
    return new BwrapLevel(options, base, opening.move());
  }

  private constructor(
    options: BwrapLevelOptions,
    base: Omit<BwrapPlan, "folder">,
    owned: AsyncDisposableStack,
  ) {
    this.#options = options;
    this.#base = base;
    this.#owned = owned;
    const seen = options.scope.isRestricted
      ? "sees the workspace and a read-only system"
      : "sees the whole disk (tools.restrictToWorkspace is false)";
    this.description = `bubblewrap, ${seen}, ${NETWORKS[options.network]}`;
  }

  start({ command, folder, hasInput }: ShellStart): Promise<ChildShellProcess> {
    const { clock, limits = SHELL_LIMITS, network, lifeline } = this.#options;
    const script = network === "filtered" ? `${RELAYED}${LIMITED}` : LIMITED;
    const args = [...bwrapArguments({ ...this.#base, folder }), "sh", "-c", script, "sh", command];
    const mark = lifeline?.newMark();
    // The mark is on bubblewrap's own processes alone: the first one inside ends all with it.
    const [env, marked] = mark === undefined ? [PATH_ONLY, args] : [
      { ...PATH_ONLY, [COMMAND_MARK]: mark },
      ["--setenv", COMMAND_MARK, mark, ...args],
    ];
    const child = spawnShell(marked, { program: "bwrap", cwd: folder, env, hasInput });
    return Promise.resolve(
      new ChildShellProcess(child, hasInput, {
        watch: (pid, exceeded) =>
          this.#canWatch
            ? new TreeWatch(pid, exceeded, { clock, limits })
            : new OutsideWatch({ type: "below", pid }, exceeded, { runner: "bwrap", limits }),
        // Where its group cannot be ended, one that is still being made loses its outer process alone.
        ...(mark !== undefined && !this.#canWatch && {
          sweep: (leader, hasEnded) =>
            hasEnded ? Promise.resolve() : killByShell("bwrap", { leader, mark }),
        }),
      }),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned.disposeAsync();
  }
}

const NETWORKS = {
  filtered: "network only by HTTP and HTTPS to public hosts",
  none: "no network",
  host: "the network of this machine (tools.exec.network is host)",
} as const;

const RELAY_MODULE = fileURLToPath(new URL("./relay_entry.ts", import.meta.url));

const RELAY_COMMAND = Deno.build.standalone
  ? `${INSIDE}/deno --shell-relay`
  : `${INSIDE}/deno run --no-config --no-lock --no-remote --no-npm --no-check --no-prompt ` +
    `--allow-net --allow-read=${INSIDE}/way --allow-write=${INSIDE}/way ${INSIDE}/relay.ts`;

/** Starts the relay and waits until it listens; without it the command has no network. */
const RELAYED = `mkfifo ${INSIDE}/ready; ` +
  `DENO_DIR=${INSIDE}/cache DENO_NO_UPDATE_CHECK=1 ` +
  `${RELAY_COMMAND} ${PROXY_PORT} ${INSIDE}/way/proxy.sock ` +
  `</dev/null >${INSIDE}/ready 2>/dev/null & ` +
  `read -r ready <${INSIDE}/ready || echo "the way to the network did not open" >&2; ` +
  `unset ready; `;

function proxyNames(): Readonly<Record<string, string>> {
  const url = `http://127.0.0.1:${PROXY_PORT}`;
  const none = "localhost,127.0.0.1,::1";
  return {
    ...{ HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: none },
    ...{ http_proxy: url, https_proxy: url, all_proxy: url, no_proxy: none },
    // Node ignores the names above unless told.
    NODE_USE_ENV_PROXY: "1",
  };
}

async function hiddenPaths(paths: readonly string[]): Promise<readonly HiddenPath[]> {
  const found = await Promise.all(paths.map(async (path): Promise<HiddenPath[]> => {
    try {
      return [{ path, isFolder: (await Deno.stat(path)).isDirectory }];
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw cannotLook(path, error);
    }
  }));
  return found.flat();
}

function cannotLook(path: string, thrown: unknown): ToolError {
  const cause = asError(thrown);
  return new ToolError("run_failed", `Cannot look at "${path}": ${cause.message}`, { cause });
}

async function systemFolders(): Promise<readonly SystemFolder[]> {
  const found = await Promise.all(SYSTEM_FOLDERS.map(async (path): Promise<SystemFolder[]> => {
    try {
      const { isSymlink } = await Deno.lstat(path);
      return [{ path, linkTarget: isSymlink ? await Deno.readLink(path) : undefined }];
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw cannotLook(path, error);
    }
  }));
  return found.flat();
}

/** What programs want to know of users and hosts, with nothing of the real ones. */
async function writeSmallFiles(
  folder: string,
): Promise<readonly { readonly path: string; readonly name: string }[]> {
  const user = `${Deno.uid() ?? 0}:${Deno.gid() ?? 0}`;
  const texts = {
    passwd: `agent:x:${user}:agent:/tmp:/bin/sh\n`,
    group: `agent:x:${Deno.gid() ?? 0}:\n`,
    hosts: "127.0.0.1 localhost sandbox\n::1 localhost\n",
  };
  return await Promise.all(
    Object.entries(texts).map(async ([name, text]) => {
      const path = join(folder, name);
      await Deno.writeTextFile(path, text);
      return { path, name };
    }),
  );
}
