/**
 * Glob patterns: `*` within a name, `**` over any number of folders, `{a,b}`, `[a-z]`, `?`.
 * @module
 */

// @deno-types="./glob_library_types.d.ts"
import picomatch from "picomatch";
import { ToolError } from "./tool.ts";

/** Longer patterns are a mistake, or an attack on the matcher. */
const PATTERN_CHARS_MAX = 1_000;

/** `*(*a)`, `+(a|@(b))`: the matcher tries all ways to share a name out, which are beyond number. */
const MANIFOLD = /[*+]\([^)]*[*?[(]/;

/**
 * Tells whether a path (relative, with `/`) fits. A pattern without `/` is for the name alone,
 * wherever it is; any other for the whole path.
 *
 * @throws {ToolError} `arguments_invalid` for what is no pattern
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const plain = pattern.replaceAll("\\", "/").replace(/^\.\//, "");
  if (plain.length > PATTERN_CHARS_MAX) throw noPattern(pattern, "it is too long");
  if (MANIFOLD.test(plain)) throw noPattern(pattern, "a wildcard stands in a repeated group");
  const whole = plain.includes("/") ? plain.replace(/^\/+/, "") : `**/${plain}`;
  try {
    return picomatch(whole, { dot: true, nonegate: true });
  } catch (error) {
    throw noPattern(pattern, error instanceof Error ? error.message : String(error));
  }
}

function noPattern(pattern: string, why: string): ToolError {
  const text = `Cannot use the pattern "${pattern.slice(0, 80)}": ${why}`;
  return new ToolError("arguments_invalid", text);
}
