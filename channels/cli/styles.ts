/**
 * How secondary text looks.
 * @module
 */

import { styleText } from "node:util";
import type { Terminal } from "./adapters/terminal.ts";

/** Makes text unobtrusive, where the terminal can. */
export function dimOn({ hasColors }: Terminal): (text: string) => string {
  return (text) => hasColors ? styleText("dim", text, { validateStream: false }) : text;
}
