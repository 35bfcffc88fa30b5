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
  return named() || homedir();
}

/** Whether the system need not be asked for it. */
export function hasHomeVariable(): boolean {
  return Boolean(named());
}

function named(): string | undefined {
  return Deno.env.get("HOME") || Deno.env.get("USERPROFILE");
}
