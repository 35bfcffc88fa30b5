/**
 * The gateway's log on the disk: lines of JSON in a few files of bounded size, for their owner only.
 * @module
 */

import { join } from "node:path";
import { exists, orNullSync } from "../../kernel/adapters/missing.ts";
import { writeAllSync } from "../../kernel/adapters/write_all.ts";

/** Of all files together the log takes `filesMax` times as much. */
const BYTES_MAX = 5_000_000;
const FILES_MAX = 5;

/** How much is kept. */
export interface LogBounds {
  /** Of one file. @default 5_000_000 */
  readonly bytesMax?: number;
  /** Files, the one that is written included. @default 5 */
  readonly filesMax?: number;
}

/** Where the log of a state folder is. */
export function logFolder(stateFolder: string): string {
  return join(stateFolder, "logs");
}

/** The file that is written now. */
export function newestLog(folder: string): string {
  return numbered(folder, 0);
}

/** The files that are there, the oldest first. */
export async function logFiles(folder: string, filesMax: number = FILES_MAX): Promise<string[]> {
  const paths = Array.from({ length: filesMax }, (_, age) => numbered(folder, age)).reverse();
  const there = await Promise.all(paths.map((path) => exists(path)));
  return paths.filter((_, index) => there[index]);
}

/** Writes the log. What cannot be written is counted, and told once it can be again. */
export class LogFiles implements Disposable {
  readonly #folder: string;
  readonly #bytesMax: number;
  readonly #filesMax: number;
  #file: Deno.FsFile | undefined;
  #bytes = 0;
  #lost = 0;
  #hasEnded = false;

  constructor(
    folder: string,
    { bytesMax = BYTES_MAX, filesMax = FILES_MAX }: LogBounds = {},
  ) {
    this.#folder = folder;
    this.#bytesMax = bytesMax;
    this.#filesMax = filesMax;
  }

  /** Writes a line, its end included; never throws, as nothing may fail for want of a log. */
  write(line: string): void {
    if (this.#hasEnded) return;
    try {
      if (this.#lost > 0) this.#append(this.#lossLine());
      this.#lost = 0;
      this.#append(line);
    } catch {
      this.#lost++; // most likely the disk is full, which others tell of
      this.#close();
    }
  }

  [Symbol.dispose](): void {
    this.#hasEnded = true;
    this.#close();
  }

  #append(line: string): void {
    const bytes = new TextEncoder().encode(line);
    if (this.#file !== undefined && this.#bytes + bytes.length > this.#bytesMax) this.#turnOver();
    const file = this.#file ??= this.#open();
    writeAllSync(file, bytes);
    this.#bytes += bytes.length;
  }

  #open(): Deno.FsFile {
    Deno.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const path = numbered(this.#folder, 0);
    const file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
    this.#bytes = file.statSync().size;
    return file;
  }

  /** Each file gets one older; the oldest goes. */
  #turnOver(): void {
    this.#close();
    for (let age = this.#filesMax - 1; age > 0; age--) {
      const younger = numbered(this.#folder, age - 1);
      orNullSync(() => Deno.renameSync(younger, numbered(this.#folder, age)));
    }
  }

  #close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #lossLine(): string {
    const record = {
      "@timestamp": new Date().toISOString(),
      level: "WARN",
      message: `${this.#lost} lines could not be written before this one`,
      logger: "troupe.gateway.log",
      properties: { lost: this.#lost },
    };
    return `${JSON.stringify(record)}\n`;
  }
}

function numbered(folder: string, age: number): string {
  return join(folder, age === 0 ? "gateway.jsonl" : `gateway.${age}.jsonl`);
}
