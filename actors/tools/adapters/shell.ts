/**
 * Shell commands as plain processes, each in a group of its own that is ended as a whole.
 * @module
 */

import type { Clock } from "../../kernel/clock.ts";
import { asError } from "../../kernel/errors.ts";
import { ClippedOutput } from "../clipped_output.ts";
import { type ShellCommand, type ShellOutcome, ToolError, type ToolProcesses } from "../tool.ts";

/** After the shell has ended, what it left running may still write for this long. */
const PIPES_GRACE_MS = 200;

/** How commands run. */
export interface ShellOptions {
  readonly clock: Clock;
  /** Absolute path; where commands run unless they say otherwise. */
  readonly workspace: string;
  /** The whole environment of a command. */
  readonly env: Readonly<Record<string, string>>;
  /** Resolves and checks a folder that a command wants to run in. */
  readonly resolveFolder: (path: string) => Promise<string>;
}

/** Runs commands with `bash -c`, or `sh -c` where there is no bash. */
export class ProcessShell implements ToolProcesses {
  readonly #options: ShellOptions;

  constructor(options: ShellOptions) {
    this.#options = options;
  }

  async run(command: ShellCommand, signal: AbortSignal): Promise<ShellOutcome> {
    signal.throwIfAborted();
    const cwd = command.workingDir === undefined
      ? this.#options.workspace
      : await this.#options.resolveFolder(command.workingDir);
    using group = new ProcessGroup(this.#spawn(command.command, cwd));
    const { promise: expired, resolve: expire } = Promise.withResolvers<"timed_out">();
    const timer = this.#options.clock.setTimer(
      command.timeoutMs,
      () => expire("timed_out"),
    );
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      const output = group.collect(command.outputBytesMax);
      const ended = await Promise.race([group.status, expired, aborted]);
      if (ended === "timed_out") {
        group.kill();
        return { state: "timed_out", exitCode: null, ...await output };
      }
      const late = this.#options.clock.setTimer(PIPES_GRACE_MS, () => group.kill());
      const texts = await output.finally(() => late.cancel());
      return { state: "exited", exitCode: ended.signal === null ? ended.code : null, ...texts };
    } finally {
      timer.cancel();
      signal.removeEventListener("abort", abort);
    }
  }

  #spawn(command: string, cwd: string): Deno.ChildProcess {
    const { env } = this.#options;
    for (const shell of ["bash", "sh"]) {
      try {
        return new Deno.Command(shell, {
          args: ["-c", command],
          cwd,
          env: { ...env },
          clearEnv: true,
          stdin: "null",
          stdout: "piped",
          stderr: "piped",
          detached: true,
        }).spawn();
      } catch (error) {
        if (shell === "bash" && error instanceof Deno.errors.NotFound) continue;
        const cause = asError(error);
        throw new ToolError("run_failed", `Cannot start a shell: ${cause.message}`, { cause });
      }
    }
    throw new ToolError("run_failed", "Cannot start a shell: neither bash nor sh was found");
  }
}

/** A process and all that it started; disposing ends them. */
class ProcessGroup implements Disposable {
  readonly #child: Deno.ChildProcess;
  readonly #readers: ReadableStreamDefaultReader<Uint8Array>[] = [];

  constructor(child: Deno.ChildProcess) {
    this.#child = child;
  }

  get status(): Promise<Deno.CommandStatus> {
    return this.#child.status;
  }

  /** Everything it writes, until all that hold its pipes have ended, or `kill`. */
  async collect(bytesMax: number): Promise<{ stdout: string; stderr: string }> {
    const [stdout, stderr] = await Promise.all([
      this.#drain(this.#child.stdout, bytesMax),
      this.#drain(this.#child.stderr, bytesMax),
    ]);
    return { stdout, stderr };
  }

  kill(): void {
    try {
      // The child leads its own group (detached), which has its number.
      Deno.kill(-this.#child.pid, "SIGKILL");
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) this.#killLeader();
      // Otherwise nobody is left in the group.
      else if (!(error instanceof Deno.errors.NotFound) && !(error instanceof TypeError)) {
        throw error;
      }
    }
    // A process that left the group may still hold the pipes: stop reading.
    for (const reader of this.#readers) void reader.cancel().catch(() => {});
  }

  [Symbol.dispose](): void {
    this.kill();
  }

  /** All that is allowed where `Deno.kill` is not (it needs an unscoped --allow-run). */
  #killLeader(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // it has ended
    }
  }

  async #drain(stream: ReadableStream<Uint8Array>, bytesMax: number): Promise<string> {
    const output = new ClippedOutput(bytesMax);
    const reader = stream.getReader();
    this.#readers.push(reader);
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      output.push(chunk.value);
    }
    return output.text();
  }
}
