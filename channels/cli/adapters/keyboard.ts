/**
 * The terminal's keys, for one reader after the other.
 * @module
 */

import { stdin } from "node:process";
import { PassThrough } from "node:stream";

let shared: Keyboard | undefined;

/**
 * What is typed, kept for whoever reads next. A reader that ends pauses its input, and once
 * standard input itself was paused Deno 2.6 loses what is typed next; so standard input goes on.
 */
export function keyboard(): Keyboard {
  return shared ??= stdin.pipe(new Keyboard());
}

/** To a line editor a terminal. */
class Keyboard extends PassThrough {
  readonly isTTY = true;

  /** Line by line or key by key, as the editor wants it. */
  setRawMode(isRaw: boolean): this {
    stdin.setRawMode(isRaw);
    return this;
  }
}
