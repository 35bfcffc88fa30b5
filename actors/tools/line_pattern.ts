/**
 * Expressions that models write, matched in time linear in the text: none can freeze a search.
 * @module
 */

import { RE2JS } from "re2js";
import { asError } from "../kernel/errors.ts";
import { ToolError } from "./tool.ts";

/** States of a compiled expression: what grows beyond it costs memory for nothing. */
const PROGRAM_SIZE_MAX = 20_000;
const PATTERN_CHARS_MAX = 4_000;

/** How to read a pattern. */
export interface PatternOptions {
  readonly isLiteral: boolean;
  readonly ignoresCase: boolean;
}

/** Tells whether the pattern is somewhere in a line. */
export type LineTest = (line: string) => boolean;

/**
 * Compiles a pattern.
 *
 * @throws {ToolError} `arguments_invalid` that says what is wrong with it
 */
export function lineTest(pattern: string, { isLiteral, ignoresCase }: PatternOptions): LineTest {
  if (pattern.length > PATTERN_CHARS_MAX) throw noPattern(pattern, "it is too long");
  const source = isLiteral ? RE2JS.quote(pattern) : RE2JS.translateRegExp(pattern);
  try {
    const compiled = RE2JS.compile(source, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
    if (compiled.programSize() > PROGRAM_SIZE_MAX) throw noPattern(pattern, "it is too large");
    return (line) => compiled.test(line);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const hint = /\(\?<?[=!]/.test(pattern) ? " (there is no look-ahead or look-behind)" : "";
    throw noPattern(pattern, asError(error).message + hint);
  }
}

function noPattern(pattern: string, why: string): ToolError {
  const text = `Cannot search for "${pattern.slice(0, 80)}": ${why}. ` +
    "Set fixed_strings to search for it as it stands";
  return new ToolError("arguments_invalid", text);
}
