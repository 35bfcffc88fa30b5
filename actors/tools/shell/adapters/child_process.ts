/**
 * A command as a child process that leads a group of its own.
 * @module
 */

import type { ShellEnd, ShellProcess } from "../level.ts";
import type { Watch } from "./tree_watch.ts";

/** How a child is ended and looked after. */
export interface ChildOptions {
  /** Counts what it starts. @default nobody counts */
  readonly watch?: ((pid: number, exceeded: (note: string) => void) => Watch) | undefined;
  /**
   * Ends what left the group that `leader` leads, and the group where we could not; runs after what
   * could be killed was. `hasEnded`: it had ended by itself. @default nothing can be done
   */
  readonly sweep?: ((leader: number, hasEnded: boolean) => Promise<void>) | undefined;
}

/** A child, its group, and its streams. */
export class ChildShellProcess implements ShellProcess {
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly ended: Promise<ShellEnd>;
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array> | undefined;
  readonly #sweep: ChildOptions["sweep"];
  readonly #watch: Watch | undefined;
  #swept: Promise<void> | undefined;
  #hasEnded = false;
  #note: string | undefined;

  /** `child` was spawned detached, with piped output, and piped input if `hasInput`. */
  constructor(child: Deno.ChildProcess, hasInput: boolean, { watch, sweep }: ChildOptions = {}) {
    this.#child = child;
    this.stdout = child.stdout;
    this.stderr = child.stderr;
    this.#input = hasInput ? child.stdin.getWriter() : undefined;
    // A command that ends early breaks the pipe; whoever writes then is told by `write`.
    this.#input?.closed.catch(() => {});
    this.#sweep = sweep;
    this.#watch = watch?.(child.pid, (note) => {
      this.#note ??= note;
      this.kill();
    });
    this.ended = child.status.then(async ({ code, signal }) => {
      this.#hasEnded = true;
      // Who watches may have ended it, and knows why.
      await this.#watch?.[Symbol.asyncDispose]();
      return { exitCode: signal === null ? code : null, note: this.#note };
    });
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#input === undefined) throw new TypeError("the command takes no input");
    await this.#input.write(bytes);
  }

  async closeInput(): Promise<void> {
    await this.#input?.close().catch(() => {});
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
    this.#swept ??= this.#sweep?.(this.#child.pid, this.#hasEnded);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    void this.#input?.abort().catch(() => {});
    await this.ended;
    await this.#swept;
  }

  /** All that is allowed where `Deno.kill` is not (it needs an unscoped --allow-run). */
  #killLeader(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // it has ended
    }
  }
}
