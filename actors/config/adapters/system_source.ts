/**
 * The reader's view of the real machine.
 * @module
 */

import { homedir } from "node:os";
import { type ConfigSource, NotTextError } from "../source.ts";

/**
 * The process's environment as it is now, and the real file system.
 *
 * @param env Another environment, for instance a private copy that still holds the secrets.
 */
export function systemConfigSource(
  env: Readonly<Record<string, string>> = Deno.env.toObject(),
): ConfigSource {
  return {
    readTextFile,
    env,
    homeDir: env["HOME"] || env["USERPROFILE"] || homedir(), // an empty one names no folder
    cwd: Deno.cwd(),
  };
}

/**
 * The file's text, or null when there is no such file.
 *
 * @throws {NotTextError} when it is not UTF-8
 */
export async function readTextFile(path: string): Promise<string | null> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = await Deno.readFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
  // Replaced by U+FFFD, a wrong byte would quietly change a key or a name.
  const line = lineThatIsNoText(bytes);
  if (line !== null) throw new NotTextError(path, line);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Counted from 1; null when all of them are UTF-8. */
function lineThatIsNoText(bytes: Uint8Array<ArrayBuffer>): number | null {
  if (isText(bytes)) return null;
  let line = 1;
  let start = 0;
  // No character of UTF-8 but the line feed itself holds its byte.
  for (let end = bytes.indexOf(0x0A); end >= 0; end = bytes.indexOf(0x0A, start)) {
    if (!isText(bytes.subarray(start, end))) return line;
    start = end + 1;
    line++;
  }
  return line;
}

function isText(bytes: Uint8Array<ArrayBuffer>): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
