/**
 * Bytes as they come from a pipe, cut into lines of bounded length.
 * @module
 */

const LINE_FEED = 10;

/** Collects the bytes of lines; no text is copied more than once, however it is chopped. */
export class LineSplitter {
  readonly #bytesMax: number;
  readonly #decoder = new TextDecoder();
  #parts: Uint8Array[] = [];
  #size = 0;

  /** @param bytesMax longest line, without its end */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /**
   * The lines that `chunk` completes.
   *
   * @throws {RangeError} when a line is longer than allowed
   */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.#keep(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#size += part.length;
    if (this.#size > this.#bytesMax) {
      throw new RangeError(`Cannot take a line of more than ${this.#bytesMax} bytes`);
    }
    this.#parts.push(part.slice());
  }

  #take(): string {
    const whole = new Uint8Array(this.#size);
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    this.#size = 0;
    return this.#decoder.decode(whole);
  }
}
