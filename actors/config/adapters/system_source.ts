/**
 * The reader's view of the real machine.
 * @module
 */

import { homedir } from "node:os";
import type { ConfigSource } from "../source.ts";

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
    homeDir: env["HOME"] ?? env["USERPROFILE"] ?? homedir(),
    cwd: Deno.cwd(),
  };
}

async function readTextFile(path: string): Promise<string | null> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
