/**
 * Folders of this machine, as it knows them.
 * @module
 */

import { userHomeFolder } from "../../kernel/adapters/user_home.ts";
import { orNullSync } from "../../kernel/adapters/missing.ts";
import { identityOf } from "../../tools/adapters/opened_file.ts";

/** The folder with all symlinks in its path resolved; it must be there. */
export function realFolder(path: string): string {
  return Deno.realPathSync(path);
}

/** The same for what may not be there yet: its path as it is then. */
export function realFolderOr(path: string): string {
  return orNullSync(() => Deno.realPathSync(path)) ?? path;
}

/** Whether there is no folder at a path, which may begin with `~`, as far as we may look. */
export function lacksFolder(path: string): boolean {
  try {
    return !Deno.statSync(path.replace(/^~(?=[/\\]|$)/, userHomeFolder())).isDirectory;
  } catch (error) {
    return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
  }
}

/** The kind of system, as Deno names it. */
export function systemName(): string {
  return Deno.build.os;
}

/** Whether names that differ in case alone are one file on systems of this kind. */
export function ignoresCase(): boolean {
  return Deno.build.os === "darwin" || Deno.build.os === "windows";
}

/** Files that tell themselves apart; more than one folder of state never holds. */
const IDENTITIES_MAX = 2_000;

/** What stands at the paths and, for folders, in them, as {@link identityOf} names it. */
export function fileIdentities(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const info = orNullSync(() => Deno.lstatSync(path));
    if (info === null) return [];
    if (!info.isDirectory) return [identityOf(info)];
    const names = [...Deno.readDirSync(path)].slice(0, IDENTITIES_MAX).map(({ name }) => name);
    return fileIdentities(names.map((name) => `${path}/${name}`));
  }).slice(0, IDENTITIES_MAX);
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
