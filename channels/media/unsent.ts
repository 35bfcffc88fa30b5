/**
 * Words for a person about a file that does not arrive.
 * @module
 */

import { basename } from "node:path";
import type { FileRead } from "./adapters/files.ts";

const MEGABYTE = 1_000_000;
const BINARY_MEGABYTE = 1024 * 1024;

/** Why a file does not arrive, in place of it. */
export function unsentNote(path: string, reason: string): string {
  return `(Could not send ${basename(path)}: ${reason})`;
}

/** The same for a file that cannot be read. @param bytesMax as it was read with */
export function unreadNote(
  path: string,
  state: Exclude<FileRead["state"], "ok">,
  bytesMax: number,
): string {
  return unsentNote(path, reasonOf(state, bytesMax));
}

function reasonOf(state: Exclude<FileRead["state"], "ok">, bytesMax: number): string {
  switch (state) {
    case "missing":
      return "there is no such file";
    case "unreadable":
      return "the channel may not read it";
    case "empty":
      return "the file is empty";
    case "too_large":
      return `it is larger than ${megabytes(bytesMax)} MB`;
  }
}

/** Platforms count in either unit, whole ones. */
function megabytes(bytes: number): number {
  return Math.floor(bytes / (bytes % MEGABYTE === 0 ? MEGABYTE : BINARY_MEGABYTE));
}
