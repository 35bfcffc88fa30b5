/**
 * The environment that shell commands get: a few names, never the gateway's own.
 * @module
 */

import { delimiter } from "node:path";

/** Names that programs expect, with what they are where this process has none. */
const DEFAULTS: Readonly<Record<string, string>> = {
  HOME: "/tmp",
  LANG: "C.UTF-8",
  TERM: "dumb",
  PATH: "/usr/local/bin:/usr/bin:/bin",
};

/** What the configuration adds. */
export interface CommandEnvironmentOptions {
  /** Appended to PATH; "" for nothing. */
  readonly pathAppend: string;
  /** Names of variables that are passed on where they are set. */
  readonly allowedEnvKeys: readonly string[];
}

/** The whole environment of a command. */
export function commandEnvironment(
  { pathAppend, allowedEnvKeys }: CommandEnvironmentOptions,
): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const [name, fallback] of Object.entries(DEFAULTS)) env[name] = read(name) ?? fallback;
  for (const name of allowedEnvKeys) {
    const value = read(name);
    if (value !== undefined) env[name] = value;
  }
  if (pathAppend !== "") env["PATH"] = `${env["PATH"]}${delimiter}${pathAppend}`;
  return env;
}

function read(name: string): string | undefined {
  return Deno.env.get(name);
}
