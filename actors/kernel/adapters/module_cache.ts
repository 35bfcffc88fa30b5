/**
 * Where Deno keeps the packages it has loaded.
 * @module
 */

import { fileURLToPath } from "node:url";

/**
 * Flags that have Deno run what it has already, and fetch nothing. By the second it also stops to
 * look, at each import, whether all packages of the lock file are there.
 */
export const CACHED_ONLY: readonly string[] = ["--cached-only", "--unstable-npm-lazy-caching"];

/**
 * What a Deno that this process starts needs of the environment to find them. Where this process
 * may not see the variable, the place of a package that it has loaded tells (from Deno 2.9 on).
 */
export function moduleCache(): Readonly<Record<string, string>> {
  const folder = variable("DENO_DIR") ?? /^(.*?)[/\\]npm[/\\]/.exec(placeOf("zod"))?.[1];
  if (folder !== undefined) return { DENO_DIR: folder };
  return Object.fromEntries(["HOME", "XDG_CACHE_HOME"].flatMap((name) => {
    const value = variable(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

function variable(name: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable: name });
  return state === "granted" ? Deno.env.get(name) : undefined;
}

/** "" where it is not told, as in a compiled binary, whose children have their modules inside. */
function placeOf(module: string): string {
  const url = import.meta.resolve(module);
  return url.startsWith("file:") ? fileURLToPath(url) : "";
}
