/**
 * Text that grows in many small pieces.
 * @module
 */

/** Pieces that are kept apart; more of them are made into one. */
const PIECES_MAX = 512;

/**
 * Collects text at the cost of the text alone: adding pieces to a string one by one would keep
 * every piece alive until the end.
 */
export class TextBuffer {
  readonly #pieces: string[] = [];
  #settled = "";
  #isEmpty = true;

  /** Whether no text was added. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Adds to the end. */
  add(piece: string): void {
    if (piece === "") return;
    this.#isEmpty = false;
    this.#pieces.push(piece);
    if (this.#pieces.length >= PIECES_MAX) this.#settle();
  }

  /** All text so far. */
  toString(): string {
    this.#settle();
    return this.#settled;
  }

  #settle(): void {
    if (this.#pieces.length === 0) return;
    this.#settled += this.#pieces.join("");
    this.#pieces.length = 0;
  }
}
