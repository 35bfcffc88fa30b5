/**
 * This machine, as far as `doctor` looks at it.
 * @module
 */

import { lookup } from "node:dns/promises";
import { statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { orNull, removeIfThere } from "../../../../actors/kernel/adapters/missing.ts";

/** The runtime. */
export interface Runtime {
  readonly version: string;
  /** A compiled program brings its own. */
  readonly isCompiled: boolean;
}

/** What runs this process. */
export function runtime(): Runtime {
  return { version: Deno.version.deno, isCompiled: Deno.build.standalone };
}

/** Who may read and write a file or folder, as the last nine bits; null where that says nothing. */
export async function modeOf(path: string): Promise<number | null> {
  const info = await orNull(Deno.stat(path));
  return info?.mode === null || info === null ? null : info.mode & 0o777;
}

/** When a file was last written, in epoch milliseconds; null where there is none. */
export async function writtenAtMs(path: string): Promise<number | null> {
  return (await orNull(Deno.stat(path)))?.mtime?.getTime() ?? null;
}

/** The nearest folder of a path that is there: itself, or one above it. */
export async function nearestFolder(path: string): Promise<string> {
  const info = await orNull(Deno.stat(path));
  return info !== null || dirname(path) === path ? path : await nearestFolder(dirname(path));
}

/** Writes a file into a folder and removes it. @throws what the system says when it cannot */
export async function tryWriting(folder: string, name: string): Promise<void> {
  const path = join(folder, `.doctor-${name}`);
  try {
    await Deno.writeTextFile(path, "doctor", { createNew: true, mode: 0o600 });
  } finally {
    await removeIfThere(path);
  }
}

/** Makes a file that nobody else is to read. */
export async function writeSecret(path: string, secret: string): Promise<void> {
  await Deno.writeTextFile(path, secret, { createNew: true, mode: 0o600 });
}

/** Bytes that are free where a path is; null where the system does not tell. */
export async function freeBytes(path: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** The file's text; null where there is none. @throws TypeError when it is not UTF-8 */
export async function readText(path: string): Promise<string | null> {
  const bytes = await orNull(Deno.readFile(path));
  return bytes && new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

/** Names in a folder; none where there is no folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return await orNull(Array.fromAsync(Deno.readDir(folder), ({ name }) => name)) ?? [];
}

/** Looks a host name up. @throws what the system says when it cannot */
export async function lookUp(host: string): Promise<void> {
  await lookup(host);
}

/** What a server takes the time to be, in epoch milliseconds; null where it does not tell. */
export async function serverTimeMs(url: string, signal: AbortSignal): Promise<number | null> {
  const response = await fetch(url, { method: "HEAD", redirect: "manual", signal });
  await response.body?.cancel();
  const atMs = Date.parse(response.headers.get("date") ?? "");
  return Number.isNaN(atMs) ? null : atMs;
}

/** Listens for a moment. @throws what the system says when the port cannot be had */
export function tryPort(hostname: string, port: number): void {
  Deno.listen({ hostname, port }).close();
}
