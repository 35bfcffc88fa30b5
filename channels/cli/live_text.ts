/**
 * A growing text on a screen that cannot take back what it has shown.
 * @module
 */

import type { LineRenderer } from "./markdown/line_renderer.ts";

/** How a text grows on the screen. */
export interface LiveTextOptions {
  readonly write: (text: string) => void;
  /** Shows whole lines only, so that other output can come between them. @default false */
  readonly isByLine?: boolean;
  /** Makes what shows the lines of one text; only by line. @default they stand as they are */
  readonly makeRenderer?: (() => LineRenderer) | undefined;
}

/** Writes only what is new; a text that went another way is written again below. */
export class LiveText {
  readonly #write: (text: string) => void;
  readonly #isByLine: boolean;
  readonly #makeRenderer: (() => LineRenderer) | undefined;
  #renderer: LineRenderer | undefined;
  /** A line that is not whole yet, for the renderer. */
  #partial = "";
  #shown = "";
  #isAtLineStart = true;

  constructor({ write, isByLine = false, makeRenderer }: LiveTextOptions) {
    this.#write = write;
    this.#isByLine = isByLine;
    this.#makeRenderer = makeRenderer;
    this.#renderer = makeRenderer?.();
  }

  /** Shows the whole text so far. */
  grow(text: string): void {
    this.#show(this.#isByLine ? text.slice(0, text.lastIndexOf("\n") + 1) : text);
  }

  /** Shows the text as it stays, and ends its last line. */
  finish(text: string): void {
    this.#show(text);
    this.#startLine();
    this.#endRendering();
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
      this.#endRendering();
      this.#renderer = this.#makeRenderer?.();
      this.#put(text);
    }
    this.#shown = text;
  }

  #put(text: string): void {
    this.#isAtLineStart = text.endsWith("\n");
    const renderer = this.#renderer;
    if (renderer === undefined) return this.#write(text);
    const lines = (this.#partial + text).split("\n");
    this.#partial = lines.pop() ?? "";
    this.#writeRendered(lines.map((line) => renderer.line(line)).join(""));
  }

  #endRendering(): void {
    this.#writeRendered(this.#renderer?.end() ?? "");
  }

  #writeRendered(text: string): void {
    if (text !== "") this.#write(text);
  }

  #startLine(): void {
    if (!this.#isAtLineStart) this.#put("\n");
  }
}
