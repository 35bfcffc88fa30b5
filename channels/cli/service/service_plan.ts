/**
 * What a service runs, from a configuration and the shell in which it is installed.
 * @module
 */

import { join, resolve } from "node:path";
import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import type { Machine } from "../../../actors/gateway/rights/rights_facts.ts";
import { gatewayLine, type OwnFlags } from "../gateway_line.ts";
import type { ServicePlan } from "./service_manager.ts";

/** Where a service that an owner left alone finds programs and caches; no secrets. */
const KEPT = [
  ...["PATH", "LANG", "DENO_DIR", "TROUPE_HOME"],
  ...["MALLOC_ARENA_MAX", "DENO_V8_FLAGS"], // what decides over its memory
];
const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"];

/**
 * Otherwise the C library of Linux keeps what was freed in a store for each of some twenty threads,
 * 30 MB in all after some work; all share one then, for which they hardly ever wait.
 */
const ONE_STORE = { MALLOC_ARENA_MAX: "1" };

/** What a plan is made from. */
export interface PlanScene {
  readonly loaded: LoadedConfig;
  readonly machine: Machine;
  /** The variables of the shell, before secrets were taken out of them. */
  readonly variables: Readonly<Record<string, string>>;
  readonly flags: OwnFlags;
  /** All rights instead of those it needs. */
  readonly isUnbound: boolean;
}

/** Where the secrets of a service stand. */
export function environmentFileOf({ locations }: LoadedConfig): string {
  return join(locations.configFolder, "service.env");
}

/** Makes the plan. */
export async function planService(
  { loaded, machine, variables, flags, isUnbound }: PlanScene,
): Promise<ServicePlan> {
  const { locations } = loaded;
  const own = {
    config: flags.config === undefined ? undefined : locations.configFile,
    workspace: flags.workspace === undefined ? undefined : resolve(locations.workspace),
    port: flags.port,
  };
  // Set by the manager, whether it is here or not: `/restart` goes by it.
  const names = [...new Set([...machine.variables, "INVOCATION_ID"])].toSorted();
  const line = await gatewayLine(loaded, { ...machine, variables: names }, own);
  const kept = [...KEPT, ...PROXIES].flatMap((name) => {
    const value = variables[name];
    // A proxy's address may hold a password.
    if (value === undefined || value === "" || value.includes("@")) return [];
    return [[name, name === "TROUPE_HOME" ? locations.homeFolder : value] as const];
  });
  return {
    command: isUnbound ? line.unbound : line.command(),
    folder: machine.userHome, // which is there, whatever else has still to be made
    environmentFile: environmentFileOf(loaded),
    environment: { ...ONE_STORE, ...Object.fromEntries(kept) },
  };
}

/**
 * The variables that a configuration takes its settings from, which a service does not see unless
 * they stand in its file.
 */
export function namedVariables({ secrets, overrides }: LoadedConfig): readonly string[] {
  const named = [...secrets.interpolated, ...overrides.map(({ variable }) => variable)];
  return [...new Set(named)].filter((name) => !KEPT.includes(name)).toSorted();
}

/** Names that are set in a file of variables. */
export function namesIn(text: string): ReadonlySet<string> {
  const lines = text.matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)=/gm);
  return new Set(lines.map(([, name = ""]) => name));
}

/** A line of the file, as both a shell and systemd read it. */
export function variableLine(name: string, value: string): string {
  return `${name}="${value.replace(/["\\`$]/g, "\\$&")}"\n`;
}
