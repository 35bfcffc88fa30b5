/**
 * A terminal that remembers, and the program run on it.
 * @module
 */

import type { Terminal } from "../../../channels/cli/adapters/terminal.ts";
import { main } from "../../../channels/cli/main.ts";

/** How a command ended, and what it wrote. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command off a terminal. */
export async function run(...args: readonly string[]): Promise<Ran> {
  const output = { out: "", err: "" };
  const terminal: Terminal = {
    write: (text) => output.out += text,
    writeError: (text) => output.err += text,
    isInteractive: false,
    hasColors: false,
  };
  return { code: await main(args, terminal), ...output };
}
