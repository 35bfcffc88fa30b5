/**
 * Reads the gateway's log from its files, and goes on reading while they grow.
 * @module
 */

import { logFiles, newestLog } from "../../../actors/gateway/adapters/log_files.ts";
import { orNull } from "../../../actors/kernel/adapters/missing.ts";

/** How often a log that is followed is looked at: what is there shows soon, and costs nothing. */
const LOOK_MS = 250;
const CHUNK_BYTES = 64 * 1024;

/** Pauses between two looks; resolves at once when the signal aborts. */
export type Pause = (delayMs: number, signal: AbortSignal) => Promise<void>;

/**
 * All lines, the oldest first, and null each time when all that is there was read; with `follow`,
 * also those that come, until its signal aborts.
 *
 * @param folder of the log; it need not be there
 */
export async function* logLines(
  folder: string,
  follow?: { readonly signal: AbortSignal; readonly pause: Pause },
): AsyncGenerator<string | null, void, void> {
  const newest = newestLog(folder);
  for (const path of await logFiles(folder)) {
    using old = path === newest ? null : await Tail.open(path);
    if (old !== null) yield* old.read();
  }
  let tail = await Tail.open(newest);
  try {
    for (;;) {
      if (tail !== null) yield* tail.read();
      yield null;
      if (follow === undefined || follow.signal.aborted) return;
      await follow.pause(LOOK_MS, follow.signal);
      if (await tail?.isCurrent(newest)) continue;
      // Another file has the name: the rest of this one first.
      if (tail !== null) yield* tail.read();
      tail?.[Symbol.dispose]();
      tail = await Tail.open(newest);
    }
  } finally {
    tail?.[Symbol.dispose]();
  }
}

/** A file that is read as far as it goes, again and again. */
class Tail implements Disposable {
  readonly #file: Deno.FsFile;
  readonly #decoder = new TextDecoder();
  #rest = "";

  static async open(path: string): Promise<Tail | null> {
    const file = await orNull(Deno.open(path));
    return file === null ? null : new Tail(file);
  }

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** Whole lines that have come since the last time. */
  async *read(): AsyncGenerator<string, void, void> {
    const chunk = new Uint8Array(CHUNK_BYTES);
    for (let count = await this.#file.read(chunk); count; count = await this.#file.read(chunk)) {
      this.#rest += this.#decoder.decode(chunk.subarray(0, count), { stream: true });
      const lines = this.#rest.split("\n");
      this.#rest = lines.pop() ?? "";
      yield* lines;
    }
  }

  async isCurrent(path: string): Promise<boolean> {
    const [own, there] = await Promise.all([this.#file.stat(), orNull(Deno.stat(path))]);
    return there !== null && own.ino === there.ino && own.dev === there.dev;
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}
