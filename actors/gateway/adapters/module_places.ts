/**
 * Modules that the configuration names, and where they are.
 * @module
 */

import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { orNullSync } from "../../kernel/adapters/missing.ts";
import { userHomeFolder } from "../../kernel/adapters/user_home.ts";
import { realFolderOr } from "./local_folders.ts";

/** Folders between a package's main module and its root, at most. */
const PACKAGE_LEVELS_MAX = 3;

/** The specifier as `import` takes it: `npm:…`, or a URL. */
export function moduleUrl(module: string): string {
  const isUrl = /^[a-z]{2,}:/i.test(module); // a single letter is a drive
  return isUrl ? module : pathToFileURL(realPlace(module)).href;
}

/**
 * Why a module cannot be loaded here at all; null where that remains to be seen. The compiled
 * program has no packages but those inside it, and of TypeScript takes the types out alone.
 */
export function loadingProblem(
  url: string,
  isCompiled: boolean = Deno.build.standalone,
): string | null {
  if (!isCompiled) return null;
  if (!url.startsWith("file:")) {
    return "the compiled program loads no packages and no addresses; put the module, with all " +
      "that it imports, into one .js or .ts file, and name its path";
  }
  if (/\.[cm]?[jt]sx$/.test(url)) {
    return "the compiled program loads no JSX; make a .js file of it, and name that";
  }
  return null;
}

/** The folder of a module on this disk; none for any other. */
export function folderOfModule(url: string): readonly string[] {
  return url.startsWith("file:") ? [dirname(fileURLToPath(url))] : [];
}

/** The file of a module on this disk; none for any other. */
export function fileOfModule(url: string): readonly string[] {
  return url.startsWith("file:") ? [realPlace(fileURLToPath(url))] : [];
}

/** The `package.json` of a package of ours, where it is on this disk and can be read; else none. */
export function packageFile(name: string): readonly string[] {
  const url = import.meta.resolve(name);
  if (!url.startsWith("file:")) return [];
  const folders: string[] = [dirname(fileURLToPath(url))];
  for (let levels = 0; levels < PACKAGE_LEVELS_MAX; levels++) {
    folders.push(dirname(folders.at(-1) ?? ""));
  }
  const isFile = (path: string) =>
    Deno.permissions.querySync({ name: "read", path }).state === "granted" && isThere(path);
  return folders.map((folder) => join(folder, "package.json")).filter(isFile).slice(0, 1);
}

/** The path with `~` and symlinks resolved. */
export function realPlace(path: string): string {
  return realFolderOr(path.replace(/^~(?=[/\\]|$)/, userHomeFolder()));
}

/** Whether something stands at a path. */
export function isThere(path: string): boolean {
  return path.length < 4_096 && orNullSync(() => Deno.lstatSync(path)) !== null;
}
