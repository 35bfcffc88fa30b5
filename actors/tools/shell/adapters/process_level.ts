/**
 * Level `process`: commands as plain processes, each in a group of its own. They can do what the
 * gateway's user can.
 * @module
 */

import type { Clock } from "../../../kernel/clock.ts";
import { asError } from "../../../kernel/errors.ts";
import type { NewId } from "../../../kernel/random.ts";
import { ToolError } from "../../tool.ts";
import {
  SHELL_LIMITS,
  type ShellLevel,
  type ShellLevelName,
  type ShellLimits,
  type ShellStart,
} from "../level.ts";
import { ChildShellProcess } from "./child_process.ts";
import { canWatch, TreeWatch, UNWATCHED } from "./tree_watch.ts";

/** Tells a command's descendants by their environment, also those that left its group. */
const MARK = "TROUPE_COMMAND";

/** How commands run. */
export interface ProcessLevelOptions {
  readonly clock: Clock;
  readonly newId: NewId;
  /** The whole environment of a command. */
  readonly env: Readonly<Record<string, string>>;
  /** @default SHELL_LIMITS */
  readonly limits?: ShellLimits;
}

/** Runs commands with `bash -c`, or `sh -c` where there is no bash. */
export class ProcessLevel implements ShellLevel {
  readonly name: ShellLevelName = "process";
  readonly description: string;
  readonly #options: ProcessLevelOptions;
  readonly #canWatch: boolean = canWatch();

  constructor(options: ProcessLevelOptions) {
    this.#options = options;
    const bounds = this.#canWatch ? "" : `; ${UNWATCHED}`;
    this.description = "plain processes, not sandboxed: commands can do what you can, and read " +
      `the gateway's secrets${bounds}`;
  }

  start({ command, folder, hasInput }: ShellStart): Promise<ChildShellProcess> {
    const { clock, newId, env, limits = SHELL_LIMITS } = this.#options;
    const mark = newId();
    const child = spawnShell(["-c", LIMITED, "sh", command], {
      cwd: folder,
      env: { ...env, [MARK]: mark, ...limitNames(limits) },
      hasInput,
    });
    return Promise.resolve(
      new ChildShellProcess(child, hasInput, {
        ...(this.#canWatch && {
          watch: (pid, exceeded) => new TreeWatch(pid, exceeded, { clock, limits }),
        }),
        sweep: (pid) =>
          this.#canWatch ? killMarked(`${MARK}=${mark}`) : killByShell(pid, `${MARK}=${mark}`),
      }),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

/**
 * Sets the limits that the system keeps, then becomes the command. `$0` is the shell itself. The
 * system counts all threads of a user (and none of root's), whoever started them: what there are
 * now, at most, stands in /proc/loadavg as `running/all`. bash calls that limit -u, dash -p.
 */
export const LIMITED: string = "ulimit -c 0 2>/dev/null; " +
  "if read -r _ _ _ all _ 2>/dev/null </proc/loadavg; then " +
  "all=$((${all#*/} + SHELL_PROCESSES)); " +
  '{ ulimit -u "$all" || ulimit -p "$all"; } 2>/dev/null; fi; ' +
  'ulimit -d "$SHELL_DATA_KB" 2>/dev/null; ulimit -f "$SHELL_FILE_BLOCKS" 2>/dev/null; ' +
  "unset all SHELL_PROCESSES SHELL_DATA_KB SHELL_FILE_BLOCKS; " +
  'if command -v bash >/dev/null; then exec bash -c "$1"; else exec sh -c "$1"; fi';

/** The limits as {@link LIMITED} reads them. */
export function limitNames(
  { processesMax, dataBytesMax, fileBytesMax }: ShellLimits,
): Readonly<Record<string, string>> {
  return {
    SHELL_PROCESSES: String(processesMax),
    SHELL_DATA_KB: String(Math.floor(dataBytesMax / 1024)),
    // POSIX counts blocks of 512 bytes.
    SHELL_FILE_BLOCKS: String(Math.floor(fileBytesMax / 512)),
  };
}

/** How a program is started. */
export interface SpawnOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly hasInput: boolean;
  /** @default "sh" */
  readonly program?: string;
}

/**
 * Starts a program as the leader of a group, with nothing of our environment.
 *
 * @throws {ToolError} `run_failed`
 */
export function spawnShell(
  args: readonly string[],
  { cwd, env, hasInput, program = "sh" }: SpawnOptions,
): Deno.ChildProcess {
  try {
    return new Deno.Command(program, {
      args: [...args],
      cwd,
      env: { ...env },
      clearEnv: true,
      stdin: hasInput ? "piped" : "null",
      stdout: "piped",
      stderr: "piped",
      detached: true,
    }).spawn();
  } catch (error) {
    const cause = asError(error);
    throw new ToolError("run_failed", `Cannot start a shell: ${cause.message}`, { cause });
  }
}

/** Ends all processes with `mark` in their environment, until none is left. */
async function killMarked(mark: string): Promise<void> {
  for (let round = 0; round < SWEEPS_MAX; round++) {
    if (await killMarkedOnce(mark) === 0) return;
  }
}

/** What starts faster than it can be ended is given up on after this many rounds. */
const SWEEPS_MAX = 20;

async function killMarkedOnce(mark: string): Promise<number> {
  const names = await Array.fromAsync(Deno.readDir("/proc"), ({ name }) => name);
  const found = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map(async (name) => {
      try {
        const variables = (await Deno.readTextFile(`/proc/${name}/environ`)).split("\0");
        if (!variables.includes(mark)) return 0;
        Deno.kill(Number(name), "SIGKILL");
        return 1;
      } catch {
        return 0; // it has ended, or belongs to somebody else
      }
    }),
  );
  return found.filter((count) => count > 0).length;
}

/**
 * The same by a shell, where we may run one but neither look into /proc nor end what is no child of
 * ours: Deno wants all rights for either. `$1` is the mark, `$2` the group that the command led.
 */
const END_ALL = 'kill -KILL -- "-$2" 2>/dev/null; ' +
  `round=0; while [ "$round" -lt ${SWEEPS_MAX} ]; do found=; ` +
  'for file in $(grep -laF "$1" /proc/[0-9]*/environ 2>/dev/null); do pid=${file#/proc/}; ' +
  'kill -KILL "${pid%/environ}" 2>/dev/null && found=1; done; ' +
  '[ -n "$found" ] || break; round=$((round + 1)); done';

async function killByShell(leader: number, mark: string): Promise<void> {
  const args = ["-c", END_ALL, "sh", mark, String(leader)];
  const streams = { stdin: "null", stdout: "null", stderr: "null" } as const;
  await new Deno.Command("sh", { args, clearEnv: true, env: PATH_ONLY, ...streams }).output();
}

const PATH_ONLY = { PATH: "/usr/local/bin:/usr/bin:/bin" };
