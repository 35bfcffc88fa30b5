/**
 * Commands of the program as processes that a test can talk to.
 * @module
 */

import { PROGRAM, programWith } from "./troupe_program.ts";
import { until } from "./until.ts";

/** How a command is run. */
export interface TroupeCommandOptions {
  /** The home folder. */
  readonly home: string;
  readonly args: readonly string[];
  /** Flags of `deno run`. @default the program of all tests, with all rights */
  readonly flags?: readonly string[];
  /** Besides the home and no colours. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A running command; disposing of it ends it. */
export class TroupeCommand implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reading: Promise<unknown>;
  readonly #readers: readonly ReadableStreamDefaultReader<Uint8Array>[];
  stdout = "";
  stderr = "";
  #hasEnded = false;

  constructor({ home, args, flags, env = {} }: TroupeCommandOptions) {
    const [program = "", ...words] = flags === undefined ? PROGRAM : programWith(flags);
    this.#child = new Deno.Command(program, {
      args: [...words, ...args],
      env: { TROUPE_HOME: home, NO_COLOR: "1", ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    const stdout = this.#child.stdout.getReader();
    const stderr = this.#child.stderr.getReader();
    this.#readers = [stdout, stderr];
    this.#reading = Promise.all([
      collect(stdout, (text) => this.stdout += text),
      collect(stderr, (text) => this.stderr += text),
    ]);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Types text. */
  async type(text: string): Promise<void> {
    await this.#input.write(new TextEncoder().encode(text));
  }

  /** Ends the input. */
  async endInput(): Promise<void> {
    await this.#input.close();
  }

  /** Goes away as a reader of what it writes. */
  async closeOutput(): Promise<void> {
    await Promise.all(this.#readers.map((reader) => reader.cancel()));
  }

  /** Waits for something on its standard output. */
  async shows(text: string, timeoutMs = 90_000): Promise<void> {
    await until(() => this.stdout.includes(text) || this.#hasEnded, { timeoutMs, what: text });
    if (!this.stdout.includes(text)) {
      throw new Error(`It ended without "${text}":\n${this.stdout}${this.stderr}`);
    }
  }

  signal(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** Its end: exit code, or the signal's. */
  async ended(): Promise<number> {
    const { code } = await this.#child.status;
    this.#hasEnded = true;
    await this.#reading;
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.abort().catch(() => {});
    if (!this.#hasEnded) {
      try {
        this.#child.kill("SIGKILL");
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // it has ended
      }
    }
    await this.ended();
  }
}

async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  take: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    take(decoder.decode(chunk.value, { stream: true }));
  }
}
