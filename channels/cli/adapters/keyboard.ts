/**
 * The terminal's keys, for one reader after the other.
 * @module
 */

import { Buffer } from "node:buffer";
import { stdin } from "node:process";
import { Transform } from "node:stream";
import { setImmediate } from "node:timers";

let shared: Keyboard | undefined;

/**
 * What is typed, kept for whoever reads next. A reader that ends pauses its input, and once
 * standard input itself was paused Deno 2.6 loses what is typed next; so standard input goes on.
 */
export function keyboard(): Keyboard {
  return shared ??= stdin.pipe(new Keyboard());
}

/**
 * To a line editor a terminal. Gives one line at a time: a reader that has what it asked for ends
 * before the next one comes, and would take that with it.
 */
export class Keyboard extends Transform {
  readonly isTTY = true;

  /** Line by line or key by key, as the editor wants it. */
  setRawMode(isRaw: boolean): this {
    stdin.setRawMode(isRaw);
    return this;
  }

  override _transform(chunk: Uint8Array, _encoding: string, done: () => void): void {
    // Bytes of these two stand for nothing else in UTF-8.
    const lines = Buffer.from(chunk).toString("latin1").match(/[^\r\n]*(?:\r\n?|\n|$)/g) ?? [];
    const pass = (): void => {
      const line = lines.shift();
      if (line === undefined) return done();
      if (line !== "") this.push(Buffer.from(line, "latin1"));
      setImmediate(pass);
    };
    pass();
  }
}
