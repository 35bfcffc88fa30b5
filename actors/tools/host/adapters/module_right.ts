/**
 * The right to read that a host needs for itself, on top of its tools'.
 * @module
 */

import { ACTORS_FOLDER } from "../../../kernel/adapters/program_modules.ts";

/** What the tools may read, and the modules that are imported as they are needed. */
export function withModules(read: boolean | readonly string[]): boolean | readonly string[] {
  if (read === true || Deno.build.standalone) return read;
  return read === false ? [ACTORS_FOLDER] : [...read, ACTORS_FOLDER];
}
