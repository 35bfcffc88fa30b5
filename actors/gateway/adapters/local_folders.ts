/**
 * Folders of this machine, as it knows them.
 * @module
 */

import { homedir } from "node:os";

/** The folder with all symlinks in its path resolved; it must be there. */
export function realFolder(path: string): string {
  return Deno.realPathSync(path);
}

/** The home folder of whom this process runs as: what `~` stands for. */
export function userHomeFolder(): string {
  return homedir();
}
