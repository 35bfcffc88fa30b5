/**
 * Lines that a person types, with output that appears meanwhile.
 * @module
 */

import { createInterface } from "node:readline";
import { stdin, stdout } from "node:process";

/** Lines typed at the terminal. */
export interface LineInput {
  readonly lines: AsyncIterable<string>;
  /** A person types; otherwise the lines come from a file or another program. */
  readonly isTyped: boolean;
  /** Writes above the half-typed line. */
  readonly writeAbove: (text: string) => void;
  /** Draws the half-typed line again. */
  readonly redraw: () => void;
  readonly close: () => void;
}

/** Reads lines until the input ends, or Ctrl-C on an empty line. */
export function readLines({ prompt }: { readonly prompt: string }): LineInput {
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const reader = createInterface({ input: stdin, output: stdout, prompt, terminal: isTerminal });
  const redraw = () => {
    if (isTerminal) reader.prompt(true);
  };
  reader.on("SIGINT", () => {
    if (reader.line === "") return reader.close();
    reader.write(null, { ctrl: true, name: "u" });
  });
  reader.on("line", redraw);
  // Made at once: what comes before somebody iterates would be lost, the end of the input too.
  const lines = reader[Symbol.asyncIterator]();
  redraw();
  return {
    lines,
    isTyped: isTerminal,
    writeAbove: (text) => {
      if (isTerminal) stdout.write("\r\x1b[K");
      stdout.write(text);
    },
    redraw,
    close: () => reader.close(),
  };
}
