/**
 * The home folder of whom this process runs as.
 * @module
 */

import { homedir } from "node:os";

/**
 * What `~` stands for. An empty variable names no folder; the system's own answer needs a right of
 * its own, so it comes last.
 */
export function userHomeFolder(): string {
  return Deno.env.get("HOME") || Deno.env.get("USERPROFILE") || homedir();
}
