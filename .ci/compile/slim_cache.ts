/**
 * A cache of packages for the compiler that holds only the files that a program may read.
 * @module
 */

import { join } from "node:path";
import { orNull } from "../../actors/kernel/adapters/missing.ts";
import { EMPTY_FOLDERS, NEVER_LOADED, NEVER_READ } from "./parts.ts";
import type { PackageId } from "./lock_file.ts";

/**
 * Makes a cache in `to` out of the one in `from`; files are links where the disk allows that.
 *
 * @param from Deno's own folder (`DENO_DIR`)
 * @throws {Deno.errors.NotFound} where a package is not in it: `deno install` fetches all
 */
export async function makeSlimCache(
  from: string,
  to: string,
  packages: readonly PackageId[],
): Promise<void> {
  await Deno.mkdir(join(from, "dl"), { recursive: true });
  await Deno.mkdir(join(to, "npm"), { recursive: true });
  // Bases of binaries, which are large, are kept where they were.
  await Deno.symlink(join(from, "dl"), join(to, "dl"), { type: "dir" });
  const registry = await registryOf(join(from, "npm"), packages);
  for (const { name, version } of packages) {
    const [source, target] = [from, to].map((folder) => join(folder, "npm", registry, name));
    if (source === undefined || target === undefined) continue;
    const left = (EMPTY_FOLDERS.get(name) ?? []).map((folder) => join(source, version, folder));
    const isTaken = NEVER_LOADED.has(name)
      ? (path: string) => /package\.json$|LICEN[CS]E/i.test(path)
      : (path: string) => !left.includes(path);
    await copyTree(join(source, version), join(target, version), isTaken);
    const known = join(source, "registry.json"); // not fetched where the lock file says it all
    if (await isFile(known)) await placeFile(known, join(target, "registry.json"));
  }
}

/** The registry that packages came from: the folder that has the first one. */
async function registryOf(npmFolder: string, [first]: readonly PackageId[]): Promise<string> {
  for await (const { name } of Deno.readDir(npmFolder)) {
    const info = await orNull(
      Deno.stat(join(npmFolder, name, first?.name ?? "", first?.version ?? "")),
    );
    if (info?.isDirectory === true) return name;
  }
  throw new Deno.errors.NotFound(
    `Cannot find the package "${first?.name}" in ${npmFolder}: run deno install --frozen`,
  );
}

async function copyTree(
  source: string,
  target: string,
  isTaken: (path: string) => boolean,
): Promise<void> {
  await Deno.mkdir(target, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(source)) {
    const from = join(source, name);
    if (!isTaken(from)) continue;
    if (isDirectory) await copyTree(from, join(target, name), isTaken);
    else if (!NEVER_READ.test(name)) await placeFile(from, join(target, name));
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await orNull(Deno.stat(path)))?.isFile === true;
}

async function placeFile(from: string, to: string): Promise<void> {
  try {
    await Deno.link(from, to);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return; // two versions of one package
    await Deno.copyFile(from, to); // another disk, or one without links
  }
}
