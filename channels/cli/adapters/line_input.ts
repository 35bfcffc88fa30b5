/**
 * Lines that a person types, with output that appears meanwhile.
 * @module
 */

import { createInterface } from "node:readline";
import { stdin, stdout } from "node:process";
import { Transform } from "node:stream";
import { text } from "node:stream/consumers";
import {
  continues,
  hideLineEnds,
  PASTE_MODE_OFF,
  PASTE_MODE_ON,
  PasteFilter,
  restoreLineEnds,
} from "../paste_filter.ts";
import { keyboard } from "./keyboard.ts";
import { hasGone, isDumb } from "./terminal.ts";

/** Lines typed at the terminal. */
export interface LineInput {
  /** What was entered; a pasted text is one entry, whatever line ends it has. */
  readonly lines: AsyncIterable<string>;
  /** A person types; otherwise the lines come from a file or another program. */
  readonly isTyped: boolean;
  /** The half-typed line makes way for output; otherwise output comes in between, and stays. */
  readonly makesWay: boolean;
  /** Writes above the half-typed line, which is gone from the screen until it is redrawn. */
  readonly writeAbove: (text: string) => void;
  /** Draws the half-typed line; to be called at the start of a screen line. */
  readonly redraw: () => void;
  readonly close: () => void;
}

/** How to read lines. */
export interface LineInputOptions {
  readonly prompt: string;
  /** What was entered before, newest first. */
  readonly history: readonly string[];
  /** What a line could become at the press of a tab. @default nothing */
  readonly complete?: (line: string) => readonly string[];
  /** The person may type; otherwise everything is read as from a pipe. @default isTyped() */
  readonly isTyped?: boolean;
  /** Ctrl-C on an empty line. @returns whether that was all it was for; else the input ends */
  readonly onInterrupt?: () => boolean;
  /**
   * Nothing can be read or written any more: whoever was there has gone (a connection that was cut,
   * a closed pipe), or else for that reason. May be told several times.
   */
  readonly onLost?: (reason: Error | "gone") => void;
}

/** Stands before a line that belongs to the one above it. */
const CONTINUED_PROMPT = "… ";

/** Whether a person types at standard input and sees standard output. */
export function isTyped(): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

/** All that standard input holds, for a question that is not typed. */
export async function readAll(): Promise<string> {
  return await text(stdin);
}

/** Reads lines until the input ends, or Ctrl-C on an empty line. */
export function readLines(options: LineInputOptions): LineInput {
  // These stay: what is written after the end of the input fails in the same way.
  for (const stream of [stdin, stdout]) {
    stream.on("error", (error: Error) => options.onLost?.(hasGone(error) ? "gone" : error));
  }
  if (!(options.isTyped ?? isTyped())) return readPipe();
  return isDumb() ? readPlain(options) : readKeys(options);
}

/** From a terminal that can only add to what it shows: it edits its lines itself. */
function readPlain({ prompt }: LineInputOptions): LineInput {
  const reader = createInterface({ input: keyboard(), terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  let isDrawn = false;
  let isClosed = false;
  const redraw = () => {
    if (isDrawn || isClosed) return;
    stdout.write(prompt);
    isDrawn = true;
  };
  reader.on("line", (line) => {
    isDrawn = continues(line);
    if (isDrawn) stdout.write(CONTINUED_PROMPT);
    redraw();
  });
  reader.on("close", () => {
    if (isDrawn) stdout.write("\n");
    isDrawn = false;
    isClosed = true;
  });
  return {
    lines: whole(lines),
    isTyped: true,
    makesWay: false,
    writeAbove: (text) => {
      stdout.write(`${isDrawn ? "\n" : ""}${text}`);
      isDrawn = false;
    },
    redraw,
    close: () => reader.close(),
  };
}

function readPipe(): LineInput {
  const reader = createInterface({ input: stdin });
  // Made at once: what comes before somebody iterates would be lost, the end of the input too.
  const lines = reader[Symbol.asyncIterator]();
  return {
    lines,
    isTyped: false,
    makesWay: false,
    writeAbove: (text) => void stdout.write(text),
    redraw: () => {},
    close: () => reader.close(),
  };
}

function readKeys(options: LineInputOptions): LineInput {
  const { prompt, history, complete = () => [], onInterrupt = () => false } = options;
  const keys = keyboard().pipe(new PasteTransform());
  const reader = createInterface({
    input: keys,
    output: stdout,
    prompt,
    terminal: true,
    history: history.map(hideLineEnds),
    completer: (line: string) => [[...complete(line)], line],
  });
  const lines = reader[Symbol.asyncIterator]();
  let isDrawn = false;
  let isClosed = false;
  const redraw = () => {
    if (isDrawn || isClosed) return;
    // A long line stands on several rows of the screen, and the reader goes up to the first.
    stdout.write("\n".repeat(reader.getCursorPos().rows));
    reader.prompt(true);
    isDrawn = true;
  };
  const erase = () => {
    if (!isDrawn) return;
    const { rows } = reader.getCursorPos();
    stdout.write(`${rows > 0 ? `\x1b[${rows}A` : ""}\r\x1b[J`);
    isDrawn = false;
  };
  reader.on("SIGINT", () => {
    if (reader.line === "") {
      if (!onInterrupt()) reader.close();
      return;
    }
    reader.write(null, { ctrl: true, name: "e" });
    reader.write(null, { ctrl: true, name: "u" });
  });
  reader.on("line", (line) => {
    isDrawn = false;
    reader.setPrompt(continues(line) ? CONTINUED_PROMPT : prompt);
    redraw();
  });
  stdout.write(PASTE_MODE_ON);
  reader.on("close", () => {
    stdout.write(`${isDrawn ? "\n" : ""}${PASTE_MODE_OFF}`);
    isDrawn = false;
    isClosed = true;
    keyboard().unpipe(keys);
  });
  return {
    lines: whole(lines),
    isTyped: true,
    makesWay: true,
    writeAbove: (text) => {
      erase();
      stdout.write(text);
    },
    redraw,
    close: () => reader.close(),
  };
}

/** Entries as they were meant: with their line ends, and what was typed line by line together. */
async function* whole(lines: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let begun = "";
  for await (const line of lines) {
    const text = begun + restoreLineEnds(line);
    begun = continues(line) ? `${text.slice(0, -1)}\n` : "";
    if (begun === "") yield text;
  }
  if (begun !== "") yield begun;
}

/** The keyboard without the marks of pastes; to the line editor still a terminal. */
class PasteTransform extends Transform {
  readonly isTTY = true;
  readonly #filter = new PasteFilter();
  readonly #decoder = new TextDecoder();

  setRawMode(isRaw: boolean): this {
    keyboard().setRawMode(isRaw);
    return this;
  }

  override _transform(
    chunk: Uint8Array,
    _encoding: string,
    done: (error: Error | null, text: string) => void,
  ): void {
    done(null, this.#filter.push(this.#decoder.decode(chunk, { stream: true })));
  }
}
