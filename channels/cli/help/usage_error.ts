/**
 * How a mistyped command line is answered: in one line, with the nearest thing that there is.
 * @module
 */

import type { Command } from "commander";
import { PROGRAM } from "./examples.ts";

/** Has a command, and all below it, say what is wrong with its usage in one line. */
export function answerInOneLine(command: Command, path: string = PROGRAM): void {
  command.configureOutput({
    outputError: (text, write) => write(`Error: ${flat(text)}; see "${path} --help"\n`),
  });
  for (const below of command.commands) answerInOneLine(below, `${path} ${below.name()}`);
}

function flat(text: string): string {
  return text.replace(/^error:\s*/, "").replaceAll(/\s*\n\s*/g, " ").replace(/[\s.]+$/, "");
}
