/**
 * The framing of the control door: one JSON value a line, in both directions.
 * @module
 */

import { ControlError } from "./control_errors.ts";

const LINE_END = 10;

/** Cuts a stream of bytes into lines, none longer than its bound. */
export class LineCutter {
  readonly #bytesMax: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  /** The beginning of the line that is not complete. */
  #pieces: Uint8Array[] = [];
  #bytesHeld = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /**
   * Takes the next bytes and gives the lines that they complete, without their ends.
   *
   * @throws {ControlError} `control_garbled` for a line that is too long or no UTF-8
   */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, start)) {
      this.#hold(chunk.subarray(start, end));
      lines.push(this.#line());
      start = end + 1;
    }
    // A copy: whoever reads may use the chunk's memory again.
    this.#hold(chunk.slice(start));
    return lines;
  }

  #hold(piece: Uint8Array): void {
    this.#bytesHeld += piece.length;
    if (this.#bytesHeld > this.#bytesMax) {
      const text = `Cannot read a line: it is longer than ${this.#bytesMax} bytes`;
      throw new ControlError("control_garbled", text);
    }
    if (piece.length > 0) this.#pieces.push(piece);
  }

  #line(): string {
    const bytes = new Uint8Array(this.#bytesHeld);
    let offset = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, offset);
      offset += piece.length;
    }
    this.#pieces = [];
    this.#bytesHeld = 0;
    try {
      return this.#decoder.decode(bytes);
    } catch (cause) {
      throw new ControlError("control_garbled", "Cannot read a line: it is no UTF-8", { cause });
    }
  }
}

/**
 * The JSON value of a line.
 *
 * @throws {ControlError} `control_garbled`
 */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new ControlError("control_garbled", "Cannot read a line: it is no JSON", { cause });
  }
}
