/**
 * Level `process`: commands as plain processes, each in a group of its own. They can do what the
 * gateway's user can.
 * @module
 */

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
import type { Lifeline } from "./lifeline.ts";
import { COMMAND_MARK, killByShell } from "./marked_processes.ts";
import { OutsideWatch } from "./outside_watch.ts";

/** How commands run. */
export interface ProcessLevelOptions {
  readonly newId: NewId;
  /** The whole environment of a command. */
  readonly env: Readonly<Record<string, string>>;
  /** @default SHELL_LIMITS */
  readonly limits?: ShellLimits;
  /** Ends commands when the gateway is killed; the level's to dispose of. @default none */
  readonly lifeline?: Lifeline;
}

/** Where there is no /proc. */
const UNWATCHED = "; their memory is bounded for each process only";

/** Runs commands with `bash -c`, or `sh -c` where there is no bash. */
export class ProcessLevel implements ShellLevel {
  readonly name: ShellLevelName = "process";
  readonly description: string = "plain processes, not sandboxed: commands can do what you can, " +
    `and read the gateway's secrets${Deno.build.os === "linux" ? "" : UNWATCHED}`;
  readonly #options: ProcessLevelOptions;

  constructor(options: ProcessLevelOptions) {
    this.#options = options;
  }

  start({ command, folder, hasInput }: ShellStart): Promise<ChildShellProcess> {
    const { newId, env, lifeline, limits = SHELL_LIMITS } = this.#options;
    const mark = lifeline?.newMark() ?? newId();
    const child = spawnShell(["-c", LIMITED, "sh", command], {
      cwd: folder,
      env: { ...env, [COMMAND_MARK]: mark, ...limitNames(limits) },
      hasInput,
    });
    return Promise.resolve(
      new ChildShellProcess(child, hasInput, {
        watch: (_, exceeded) =>
          new OutsideWatch({ type: "marked", mark }, exceeded, { runner: "sh", limits }),
        sweep: (leader) => killByShell("sh", { leader, mark }),
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#options.lifeline?.[Symbol.asyncDispose]();
  }
}

/**
 * Sets the limits that the system keeps, then becomes the command, with less claim to the processor
 * than the gateway: else a fork bomb outgrows whoever counts and ends its processes. `$0` is the shell itself. The
 * system counts all threads of a user (and none of root's), whoever started them: what there are
 * now, at most, stands in /proc/loadavg as `running/all`. bash calls that limit -u, dash -p.
 */
export const LIMITED: string = "ulimit -c 0 2>/dev/null; " +
  "if read -r _ _ _ all _ 2>/dev/null </proc/loadavg; then " +
  "all=$((${all#*/} + SHELL_PROCESSES)); " +
  '{ ulimit -u "$all" || ulimit -p "$all"; } 2>/dev/null; fi; ' +
  'ulimit -d "$SHELL_DATA_KB" 2>/dev/null; ulimit -f "$SHELL_FILE_BLOCKS" 2>/dev/null; ' +
  "unset all SHELL_PROCESSES SHELL_DATA_KB SHELL_FILE_BLOCKS; " +
  'set -- "$1" sh; if command -v bash >/dev/null; then set -- "$1" bash; fi; ' +
  'if command -v nice >/dev/null; then exec nice -n 10 "$2" -c "$1"; fi; exec "$2" -c "$1"';

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
