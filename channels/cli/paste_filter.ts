/**
 * Texts of several lines in a line editor: pasted ones, which a terminal in bracketed-paste mode
 * marks, and typed ones.
 * @module
 */

/** Switches the marks on. */
export const PASTE_MODE_ON = "\x1b[?2004h";
/** Switches the marks off. */
export const PASTE_MODE_OFF = "\x1b[?2004l";

const BEGIN = "\x1b[200~";
const END = "\x1b[201~";
/** Stands for a line end inside a pasted text while the line is edited. */
const LINE_END_SIGN = "⏎";

/** What terminals send for Alt-Enter and Shift-Enter, of those that tell them from Enter. */
const LINE_END_KEYS = ["\x1b\r", "\x1b\n", "\x1b[13;2u", "\x1b[27;2;13~"];

/** Takes the marks out of what comes from the keyboard, and pasted line ends with them. */
export class PasteFilter {
  #isPasting = false;
  /** The end of what came may be the beginning of a mark. */
  #held = "";

  /** What the line editor gets of the next keys. */
  push(text: string): string {
    let rest = this.#held + text;
    this.#held = "";
    let filtered = "";
    while (rest !== "") {
      const mark = this.#isPasting ? END : BEGIN;
      const at = rest.indexOf(mark);
      if (at < 0) {
        // A lone escape is a key; of a paste, even that may be the beginning of its end.
        const heldLength = partialLength(rest, mark, this.#isPasting ? 1 : 3);
        filtered += this.#passed(rest.slice(0, rest.length - heldLength));
        this.#held = rest.slice(rest.length - heldLength);
        break;
      }
      filtered += this.#passed(rest.slice(0, at));
      rest = rest.slice(at + mark.length);
      this.#isPasting = !this.#isPasting;
    }
    return filtered;
  }

  #passed(text: string): string {
    if (this.#isPasting) return hideLineEnds(text);
    return LINE_END_KEYS.reduce((rest, key) => rest.replaceAll(key, LINE_END_SIGN), text);
  }
}

/** The line as it was meant: with the line ends that were pasted. */
export function restoreLineEnds(line: string): string {
  return line.replaceAll(LINE_END_SIGN, "\n");
}

/** The text as it is edited: on one line. */
export function hideLineEnds(text: string): string {
  return text.replace(/\r\n|\r|\n/g, LINE_END_SIGN);
}

/** Whether a typed line says by a backslash at its end that another one belongs to it. */
export function continues(line: string): boolean {
  const [backslashes = ""] = /\\*$/.exec(line) ?? [];
  return backslashes.length % 2 === 1;
}

/** How many characters at the end of `text` may begin `mark`; at least `lengthMin`, or none. */
function partialLength(text: string, mark: string, lengthMin: number): number {
  for (let length = Math.min(mark.length - 1, text.length); length >= lengthMin; length--) {
    if (mark.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
