/**
 * Folders of this machine, as it knows them.
 * @module
 */

import { homedir } from "node:os";

/** The folder with all symlinks in its path resolved; it must be there. */
export function realFolder(path: string): string {
  return Deno.realPathSync(path);
}

/** Makes a folder, and those above it, where there is none. A private one is for its owner only. */
export async function makeFolder(
  path: string,
  { isPrivate }: { readonly isPrivate: boolean },
): Promise<void> {
  await Deno.mkdir(path, { recursive: true, ...(isPrivate && { mode: 0o700 }) });
  if (isPrivate && Deno.build.os !== "windows") await Deno.chmod(path, 0o700);
}

/** Whether there is a file or folder. */
export async function hasFile(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return false;
    }
    throw error;
  }
}

/** The home folder of whom this process runs as: what `~` stands for. */
export function userHomeFolder(): string {
  // The system's own answer needs a right of its own, so it comes last.
  return Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE") ?? homedir();
}
