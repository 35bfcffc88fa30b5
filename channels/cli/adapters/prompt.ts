/**
 * Questions to the person at the terminal, one at a time.
 * @module
 */

import { stderr, stdin } from "node:process";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { AskOptions } from "../../setup.ts";
import { keyboard } from "./keyboard.ts";

/** Whether a person can answer. */
export function canAsk(): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * Asks on standard error, as standard output may go elsewhere.
 *
 * @throws the signal's reason, or an AbortError at the end of the input
 */
export async function ask(
  question: string,
  { isSecret = false, signal }: AskOptions = {},
): Promise<string> {
  if (isSecret) stderr.write(question);
  const output = isSecret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr;
  const reader = createInterface({ input: keyboard(), output, terminal: true });
  const closed = Promise.withResolvers<never>();
  closed.promise.catch(() => {});
  reader.once("close", () => closed.reject(new DOMException("The input ended", "AbortError")));
  reader.once("SIGINT", () => reader.close());
  try {
    const answer = reader.question(
      isSecret ? "" : question,
      signal === undefined ? {} : { signal },
    );
    return (await Promise.race([answer, closed.promise])).trim();
  } finally {
    reader.close();
    if (isSecret) stderr.write("\n");
  }
}
