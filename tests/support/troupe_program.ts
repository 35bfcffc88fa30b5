/**
 * The program that end-to-end tests run.
 * @module
 */

import { fileURLToPath } from "node:url";
import { CACHED_ONLY } from "../../actors/kernel/adapters/module_cache.ts";

const MAIN = fileURLToPath(new URL("../../mod.ts", import.meta.url));

/**
 * The words that start it: this Deno, on the sources. `TROUPE_PROGRAM` names another one, such as
 * the single binary.
 */
export const PROGRAM: readonly string[] = Deno.env.get("TROUPE_PROGRAM")?.split(" ") ??
  programWith(["-A", ...CACHED_ONLY]);

/** The sources under some flags of `deno run`. */
export function programWith(flags: readonly string[]): readonly string[] {
  return [Deno.execPath(), "run", ...flags, "--no-check", MAIN];
}
