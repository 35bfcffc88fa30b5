/// <reference lib="deno.unstable" />
/**
 * Where the program's own modules are.
 * @module
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Below the program's folder. */
export const MODULE_FOLDERS: readonly string[] = [
  "actors",
  "channels",
  "providers",
  "workspace-template",
];

const PROGRAM = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * The modules of tool hosts and of the shell's interpreter, which read them like files, and by the
 * same right. A compiled binary has them inside.
 */
export const ACTORS_FOLDER: string = join(PROGRAM, "actors");

/**
 * The folders that a Worker has to read in order to import modules as it needs them, as far as this
 * process may read them itself; none in a compiled binary, which has them inside.
 */
export function readableModuleFolders(): readonly string[] {
  if (Deno.build.standalone) return [];
  return MODULE_FOLDERS.map((name) => join(PROGRAM, name))
    .filter((path) => Deno.permissions.querySync({ name: "read", path }).state === "granted");
}
