/**
 * Modules that the configuration names, and where they are.
 * @module
 */

import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { realFolderOr, userHomeFolder } from "./local_folders.ts";

/** The specifier as `import` takes it: `npm:…`, or a URL. */
export function moduleUrl(module: string): string {
  const isUrl = /^[a-z]{2,}:/i.test(module); // a single letter is a drive
  return isUrl ? module : pathToFileURL(realPlace(module)).href;
}

/** The folder of a module on this disk; none for any other. */
export function folderOfModule(url: string): readonly string[] {
  return url.startsWith("file:") ? [dirname(fileURLToPath(url))] : [];
}

/** The path with `~` and symlinks resolved. */
export function realPlace(path: string): string {
  return realFolderOr(path.replace(/^~(?=[/\\]|$)/, userHomeFolder()));
}
