/**
 * A growing text on a screen that cannot take back what it has shown.
 * @module
 */

/** How a text grows on the screen. */
export interface LiveTextOptions {
  readonly write: (text: string) => void;
  /** Shows whole lines only, so that other output can come between them. @default false */
  readonly isByLine?: boolean;
}

/** Writes only what is new; a text that went another way is written again below. */
export class LiveText {
  readonly #write: (text: string) => void;
  readonly #isByLine: boolean;
  #shown = "";
  #isAtLineStart = true;

  constructor({ write, isByLine = false }: LiveTextOptions) {
    this.#write = write;
    this.#isByLine = isByLine;
  }

  /** Shows the whole text so far. */
  grow(text: string): void {
    this.#show(this.#isByLine ? text.slice(0, text.lastIndexOf("\n") + 1) : text);
  }

  /** Shows the text as it stays, and ends its last line. */
  finish(text: string): void {
    this.#show(text);
    this.#startLine();
  }

  /** Writes a line of something else. */
  note(line: string): void {
    this.#startLine();
    this.#write(`${line}\n`);
  }

  #show(text: string): void {
    if (text === this.#shown || this.#shown.startsWith(text)) return;
    if (text.startsWith(this.#shown)) this.#put(text.slice(this.#shown.length));
    else {
      this.#startLine();
      this.#put(text);
    }
    this.#shown = text;
  }

  #put(text: string): void {
    this.#write(text);
    this.#isAtLineStart = text.endsWith("\n");
  }

  #startLine(): void {
    if (!this.#isAtLineStart) this.#put("\n");
  }
}
