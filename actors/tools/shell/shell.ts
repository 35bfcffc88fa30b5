/**
 * The shell of the tools: a command passes the guard, runs at the level that was chosen, and is
 * ended with all that it started.
 * @module
 */

import type { Clock } from "../../kernel/clock.ts";
import { LinkedSignal } from "../../kernel/linked_signal.ts";
import { ClippedOutput } from "../clipped_output.ts";
import { type ShellCommand, type ShellOutcome, ToolError, type ToolProcesses } from "../tool.ts";
import type { CommandGuard } from "./guard.ts";
import { PIPES_GRACE_MS, type ShellLevel, type ShellProcess } from "./level.ts";

/** What the shell is made of. */
export interface ShellOptions {
  readonly clock: Clock;
  /** Absolute path; where commands run unless they say otherwise. */
  readonly workspace: string;
  /** The level, once it was tried. @throws {ToolError} `not_available` where none works */
  readonly level: () => Promise<ShellLevel>;
  /** Looked up for each command. */
  readonly guard: Pick<CommandGuard, "check">;
  /** Resolves and checks a folder that a command wants to run in. */
  readonly resolveFolder: (path: string) => Promise<string>;
}

/** A command that is to be started and kept. */
export interface OpenCommand {
  readonly command: string;
  readonly workingDir: string | undefined;
  readonly timeoutMs: number;
}

/** Runs commands; its end is theirs. */
export class Shell implements ToolProcesses, AsyncDisposable {
  readonly #options: ShellOptions;
  readonly #ending = new AbortController();
  readonly #running = new Set<Promise<ShellOutcome>>();

  constructor(options: ShellOptions) {
    this.#options = options;
  }

  /**
   * Starts a command that takes input and is ended by whoever started it.
   *
   * @throws {ToolError} `command_refused`, `run_failed`, or what is wrong with the folder
   */
  open(command: OpenCommand): Promise<ShellProcess> {
    return this.#start(command, true);
  }

  async run(command: ShellCommand, signal: AbortSignal): Promise<ShellOutcome> {
    using linked = new LinkedSignal(signal, this.#ending.signal);
    const running = this.#run(command, linked.signal);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Ends what runs, whoever asked for it; what is opened ends with whoever keeps it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort(new ToolError("not_available", "Error: the shell has ended"));
    await Promise.allSettled(this.#running);
  }

  async #run(command: ShellCommand, signal: AbortSignal): Promise<ShellOutcome> {
    signal.throwIfAborted();
    await using process = await this.#start(command, false);
    const { promise: expired, resolve: expire } = Promise.withResolvers<"timed_out">();
    const { clock } = this.#options;
    const timer = clock.setTimer(command.timeoutMs, () => expire("timed_out"));
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    const output = new CollectedOutput(process, command.outputBytesMax);
    try {
      const ended = await Promise.race([process.ended, expired, aborted]);
      process.kill();
      // What left the group may still hold the pipes: it is not waited for.
      await output.settle(clock);
      if (ended === "timed_out") return { state: "timed_out", exitCode: null, ...output.texts() };
      const { stdout, stderr } = output.texts();
      const notes = ended.note === undefined ? stderr : `${stderr}\n(${ended.note})`.trim();
      return { state: "exited", exitCode: ended.exitCode, stdout, stderr: notes };
    } finally {
      timer.cancel();
      signal.removeEventListener("abort", abort);
      output.stop();
    }
  }

  async #start(
    { command, workingDir, timeoutMs }: OpenCommand,
    hasInput: boolean,
  ): Promise<ShellProcess> {
    const { workspace, resolveFolder, guard, level } = this.#options;
    const folder = workingDir === undefined ? workspace : await resolveFolder(workingDir);
    await guard.check(command, folder);
    return await (await level()).start({ command, folder, hasInput, timeoutMs });
  }
}

/** Both streams, read as they come, clipped in the middle. */
class CollectedOutput {
  readonly #readers: readonly ReadableStreamDefaultReader<Uint8Array>[];
  readonly #stdout: ClippedOutput;
  readonly #stderr: ClippedOutput;
  readonly #read: Promise<unknown>;

  constructor({ stdout, stderr }: ShellProcess, bytesMax: number) {
    this.#stdout = new ClippedOutput(bytesMax);
    this.#stderr = new ClippedOutput(bytesMax);
    const out = stdout.getReader();
    const err = stderr.getReader();
    this.#readers = [out, err];
    this.#read = Promise.all([drain(out, this.#stdout), drain(err, this.#stderr)]);
    this.#read.catch(() => {}); // seen by `settle`
  }

  /** Waits until all is read, or no longer than the grace. */
  async settle(clock: Clock): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = clock.setTimer(PIPES_GRACE_MS, resolve);
    await Promise.race([this.#read, late]).finally(() => timer.cancel());
  }

  texts(): { readonly stdout: string; readonly stderr: string } {
    return { stdout: this.#stdout.text(), stderr: this.#stderr.text() };
  }

  stop(): void {
    for (const reader of this.#readers) void reader.cancel().catch(() => {});
  }
}

async function drain(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  output: ClippedOutput,
): Promise<void> {
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    output.push(chunk.value);
  }
}
