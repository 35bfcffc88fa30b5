/**
 * A command that goes on while the conversation does: its output is kept until somebody looks.
 * @module
 */

import type { Clock } from "../../kernel/clock.ts";
import { asError } from "../../kernel/errors.ts";
import { PIPES_GRACE_MS, type ShellEnd, type ShellProcess } from "./level.ts";

/** Output that nobody has looked at yet; the oldest goes first. */
const UNREAD_CHARS_MAX = 50_000;

/** What came since the last look. */
export interface UnreadOutput {
  readonly text: string;
  /** Characters that were lost because nobody looked. */
  readonly lostChars: number;
}

/** What a running command is given. */
export interface RunningCommandOptions {
  readonly clock: Clock;
  readonly changed: () => void;
}

/** A process with the tail of its output. */
export class RunningCommand {
  /** Belongs to whoever started it. */
  readonly process: ShellProcess;
  readonly #changed: () => void;
  readonly #readers: readonly ReadableStreamDefaultReader<Uint8Array>[];
  #unread = "";
  #lostChars = 0;
  #end: ShellEnd | undefined;

  /** `changed` is called when there is new output, and when it has ended. */
  constructor(process: ShellProcess, { clock, changed }: RunningCommandOptions) {
    this.process = process;
    this.#changed = changed;
    this.#readers = [process.stdout.getReader(), process.stderr.getReader()];
    void this.#follow(clock, this.#readers.map((reader) => this.#read(reader)));
  }

  /** How it ended; undefined while it runs. */
  get end(): ShellEnd | undefined {
    return this.#end;
  }

  /** Whether `text` is among what nobody has looked at. */
  hasUnread(text: string): boolean {
    return this.#unread.includes(text);
  }

  /** What came since the last look; it is forgotten by that. */
  takeUnread(): UnreadOutput {
    const taken = { text: this.#unread, lostChars: this.#lostChars };
    this.#unread = "";
    this.#lostChars = 0;
    return taken;
  }

  /** @throws when it has ended meanwhile */
  async write(text: string, closes: boolean): Promise<void> {
    if (text !== "") await this.process.write(new TextEncoder().encode(text));
    if (closes) await this.process.closeInput();
  }

  kill(): void {
    this.process.kill();
  }

  /** Lets go of the streams; what still comes is lost. */
  stopReading(): void {
    for (const reader of this.#readers) void reader.cancel().catch(() => {});
  }

  async #follow(clock: Clock, reading: readonly Promise<void>[]): Promise<void> {
    const end = await this.process.ended;
    // What it left behind may hold the pipes for ever.
    this.process.kill();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = clock.setTimer(PIPES_GRACE_MS, resolve);
    await Promise.race([Promise.all(reading), late]);
    timer.cancel();
    this.#end = end;
    this.#changed();
  }

  async #read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        this.#keep(decoder.decode(chunk.value, { stream: true }));
      }
    } catch (error) {
      this.#keep(`\n(the output broke off: ${asError(error).message})`);
    }
  }

  #keep(text: string): void {
    const whole = this.#unread + text;
    this.#unread = whole.slice(-UNREAD_CHARS_MAX);
    this.#lostChars += whole.length - this.#unread.length;
    this.#changed();
  }
}
