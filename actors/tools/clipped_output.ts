/**
 * Output of any length in bounded memory: the beginning and the end are kept.
 * @module
 */

/** Keeps the first and the last half of `bytesMax`, and counts what lies between. */
export class ClippedOutput {
  readonly #headMax: number;
  readonly #tailMax: number;
  readonly #head: Uint8Array[] = [];
  readonly #tail: Uint8Array[] = [];
  #headSize = 0;
  #tailSize = 0;
  #dropped = 0;

  constructor(bytesMax: number) {
    this.#headMax = Math.ceil(bytesMax / 2);
    this.#tailMax = bytesMax - this.#headMax;
  }

  push(chunk: Uint8Array): void {
    const room = this.#headMax - this.#headSize;
    if (room > 0) {
      const part = chunk.subarray(0, room);
      this.#head.push(part);
      this.#headSize += part.length;
    }
    const rest = chunk.subarray(Math.max(0, room));
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailSize += rest.length;
    this.#trimTail();
  }

  /** What was kept, as UTF-8; bytes that are none become U+FFFD. */
  text(): string {
    const decoder = new TextDecoder();
    const head = decoder.decode(joined(this.#head, this.#headSize));
    if (this.#dropped === 0) {
      return decoder.decode(
        joined([...this.#head, ...this.#tail], this.#headSize + this.#tailSize),
      );
    }
    const tail = decoder.decode(joined(this.#tail, this.#tailSize));
    return `${head}\n… ${this.#dropped} bytes left out …\n${tail}`;
  }

  #trimTail(): void {
    let excess = this.#tailSize - this.#tailMax;
    while (excess > 0) {
      const first = this.#tail[0];
      if (first === undefined) return;
      const cut = Math.min(excess, first.length);
      if (cut === first.length) this.#tail.shift();
      else this.#tail[0] = first.subarray(cut);
      this.#tailSize -= cut;
      this.#dropped += cut;
      excess -= cut;
    }
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
