/// <reference lib="deno.unstable" />
/**
 * This machine and this process, as far as rights depend on them.
 * @module
 */

import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasHomeVariable, userHomeFolder } from "../../../kernel/adapters/user_home.ts";
import type { Need } from "../need.ts";
import type { Machine } from "../rights_facts.ts";

/** Deno asks for a right to Unix sockets from this version on. */
const SOCKET_RIGHT_SINCE = [2, 7] as const;

/** Looks around. */
export function thisMachine(): Machine {
  const appFolder = fileURLToPath(new URL("../../../../", import.meta.url)).replace(/[/\\]$/, "");
  return {
    denoPath: Deno.execPath(),
    appFolder: Deno.build.standalone ? null : appFolder,
    tempFolder: tmpdir(),
    userHome: userHomeFolder(),
    hasHomeVariable: hasHomeVariable(),
    variables: Object.keys(Deno.env.toObject()).toSorted(),
    hasSocketRight: isAtLeast(SOCKET_RIGHT_SINCE),
    real: realOrSame,
    has: hasProgram,
  };
}

/** Whether this process has a right. */
export function isGranted({ right, value }: Need): boolean {
  return Deno.permissions.querySync(descriptorOf(right, value)).state === "granted";
}

/** A pattern of host names is asked for by one of them: the platform's question takes names only. */
function descriptorOf(right: Need["right"], value: string): Deno.PermissionDescriptor {
  const isAll = value === "*";
  switch (right) {
    case "read":
    case "write":
      return isAll ? { name: right } : { name: right, path: value };
    case "net":
      return isAll ? { name: right } : { name: right, host: value.replace(/^\*\./, "any.") };
    case "env":
      return isAll ? { name: right } : { name: right, variable: value };
    case "sys":
      return systemDescriptor(value);
    case "run":
      return isAll ? { name: right } : { name: right, command: value };
  }
}

function systemDescriptor(kind: string): Deno.SysPermissionDescriptor {
  if (kind === "uid" || kind === "gid" || kind === "homedir") return { name: "sys", kind };
  throw new TypeError(`Cannot ask for the right to "${kind}": nobody needs it`);
}

function realOrSame(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path; // not there yet, or not to be seen
  }
}

function hasProgram(name: string): boolean {
  const folders = (readable("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(delimiter);
  return folders.some((folder) => isThere(join(folder, name)));
}

function readable(variable: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" ? Deno.env.get(variable) : undefined;
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

function isAtLeast([major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = Deno.version.deno.split(".").map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
