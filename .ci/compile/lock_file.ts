/**
 * The lock file, cut down to the packages that a program reaches. The compiler puts every package of
 * its lock file into the binary, used or not.
 * @module
 */

import { z } from "zod";

/** A package, and by what it names those that it needs. */
export interface LockedPackage {
  readonly dependencies: readonly string[];
  readonly optionalDependencies: readonly string[];
  readonly optionalPeers: readonly string[];
}

/** A lock file, as far as it matters here. */
export interface LockFile {
  readonly version: "5";
  /** What is imported, and the version that it got. */
  readonly specifiers: Readonly<Record<string, string>>;
  readonly npm: Readonly<Record<string, LockedPackage>>;
  /** What `deno.json` imports. Where this does not fit, the compiler looks for versions by itself. */
  readonly workspace: { readonly dependencies: readonly string[] };
}

const references = z.array(z.string()).default([]);
const lockSchema = z.object({
  version: z.literal("5"),
  specifiers: z.record(z.string(), z.string()),
  npm: z.record(
    z.string(),
    z.looseObject({
      dependencies: references,
      optionalDependencies: references,
      optionalPeers: references,
    }),
  ),
  workspace: z.object({ dependencies: z.array(z.string()) }),
});

/** A package of which nothing is taken needs nothing. */
const NOTHING: Omit<LockedPackage, "optionalPeers"> = {
  dependencies: [],
  optionalDependencies: [],
};

/** What a package's name in the lock file consists of. */
export interface PackageId {
  readonly name: string;
  readonly version: string;
}

/** @throws {z.ZodError} for another version of the format */
export function parseLock(text: string): LockFile {
  return lockSchema.parse(JSON.parse(text));
}

/** Name and version of `name@1.2.3_peer@4.5.6`. */
export function packageId(key: string): PackageId {
  const [, name = "", version = ""] = /^(@?[^@]+)@([^_]+)/.exec(key) ?? [];
  return { name, version };
}

/**
 * The lock file with these packages, what they need, and nothing else.
 *
 * @param roots the keys of the packages that the program imports
 * @param isEmpty says of a package's name that nothing is taken of it: what it needs is not there
 */
export function reducedLock(
  lock: LockFile,
  roots: ReadonlySet<string>,
  isEmpty: (name: string) => boolean,
): LockFile {
  const keyOf = keysByReference(lock);
  const reached = new Map<string, LockedPackage>();
  const open = [...roots];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    const entry = lock.npm[key];
    if (entry === undefined) throw new TypeError(`Cannot find "${key}" in the lock file`);
    if (reached.has(key)) continue;
    const needs = isEmpty(packageId(key).name) ? { ...entry, ...NOTHING } : entry;
    reached.set(key, needs);
    for (const reference of [...needs.dependencies, ...needs.optionalDependencies]) {
      open.push(keyOf.get(reference) ?? reference);
    }
  }
  // Optional peers are there if somebody else needs them.
  const isThere = (reference: string): boolean => reached.has(keyOf.get(reference) ?? "");
  const npm = Object.fromEntries(
    [...reached].map(([key, entry]) =>
      [key, { ...entry, optionalPeers: entry.optionalPeers.filter(isThere) }] as const
    ),
  );
  const specifiers = Object.fromEntries(
    Object.entries(lock.specifiers).filter(([specifier, version]) =>
      roots.has(`${nameIn(specifier)}@${version}`)
    ),
  );
  const dependencies = lock.workspace.dependencies.filter((specifier) => specifier in specifiers);
  return { version: lock.version, specifiers, npm, workspace: { dependencies } };
}

/** Packages need others by `name`, or by `name@version` where there are several. */
function keysByReference({ npm }: LockFile): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const key of Object.keys(npm)) {
    const { name } = packageId(key);
    keys.set(name, key).set(key, key);
  }
  return keys;
}

/** The package's name in `npm:name@^1.2.3`. */
function nameIn(specifier: string): string {
  return /^npm:(@?[^@]+)/.exec(specifier)?.[1] ?? specifier;
}
