/**
 * The files of the project, as they are on disk.
 * @module
 */

import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder, with a slash at its end. */
export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** Folders that a copy without Git may hold beside the project's own. */
const FOREIGN_FOLDERS = new Set([".git", "coverage", "node_modules"]);

/** Paths from the root, sorted, of all files that Git tracks or would track. */
export async function projectFiles(): Promise<string[]> {
  const files = await filesOfGit() ?? await filesOnDisk();
  return files.toSorted();
}

/** Undefined where this is no checkout, or there is no Git. */
async function filesOfGit(): Promise<string[] | undefined> {
  try {
    const { success, stdout } = await new Deno.Command("git", {
      args: ["-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
      stderr: "null",
    }).output();
    if (!success) return undefined;
    const paths = new TextDecoder().decode(stdout).split("\0").filter(Boolean);
    const present = await Promise.all(paths.map(isFile));
    return paths.filter((_path, index) => present[index]);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** What was deleted and not committed yet is still in Git's list. */
async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.lstat(join(ROOT, path))).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function filesOnDisk(): Promise<string[]> {
  const entries = await readdir(ROOT, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split("/").some((part) => FOREIGN_FOLDERS.has(part)));
}
