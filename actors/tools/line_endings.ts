/**
 * Editing a text whose lines end in different ways, so that each untouched line keeps its own end.
 * @module
 */

import type { Match } from "./edit_match.ts";

/** A text seen with plain line feeds. */
export class LineEndings {
  /** The text with every CR LF as LF: what matches are found in. */
  readonly text: string;
  readonly #original: string;
  /** For each position in `text` the one in the original (of the CR, for a CR LF). */
  readonly #positions: number[] = [];
  readonly #newline: string;

  constructor(original: string) {
    this.#original = original;
    this.text = original.replaceAll("\r\n", "\n");
    const crlf = original.length - this.text.length;
    const lf = this.text.split("\n").length - 1 - crlf;
    this.#newline = crlf > lf ? "\r\n" : "\n";
    for (let at = 0; at < original.length; at++) {
      this.#positions.push(at);
      if (original.startsWith("\r\n", at)) at++;
    }
    this.#positions.push(original.length);
  }

  /** The original with pieces of `text` replaced; new lines get the end that most lines have. */
  replace(pieces: readonly (Match & { readonly text: string })[]): string {
    let result = "";
    let done = 0;
    for (const { start, end, text } of pieces) {
      result += this.#original.slice(done, this.#positions[start]);
      result += text.replaceAll("\n", this.#newline);
      done = this.#positions[end] ?? this.#original.length;
    }
    return result + this.#original.slice(done);
  }
}
