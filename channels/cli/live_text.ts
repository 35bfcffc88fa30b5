/**
 * A growing text on a screen that cannot take back what it has shown.
 * @module
 */

/** Writes only what is new; a text that went another way is written again below. */
export class LiveText {
  readonly #write: (text: string) => void;
  #shown = "";

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Shows the whole text so far. */
  show(text: string): void {
    if (text === this.#shown) return;
    if (text.startsWith(this.#shown)) this.#write(text.slice(this.#shown.length));
    else this.#write(`\n${text}`);
    this.#shown = text;
  }

  /** Ends the line. */
  end(): void {
    if (this.#shown !== "" && !this.#shown.endsWith("\n")) this.#write("\n");
  }
}
