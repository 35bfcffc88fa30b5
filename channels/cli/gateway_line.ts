/**
 * The command that starts the gateway of a configuration, with exactly the rights that it needs.
 * @module
 */

import type { LoadedConfig } from "../../actors/config/load_config.ts";
import { lacksFolder } from "../../actors/gateway/adapters/local_folders.ts";
import { systemWorld } from "../../actors/gateway/adapters/system_world.ts";
import { isGranted } from "../../actors/gateway/rights/adapters/machine.ts";
import { flagsOf, type Rights, rightsOf } from "../../actors/gateway/rights/flags.ts";
import { gatherFacts, type Machine } from "../../actors/gateway/rights/rights_facts.ts";
import { type PartNeeds, partsOf } from "../../actors/gateway/rights/rights_table.ts";
import { wireShell } from "../../actors/gateway/shell_wiring.ts";
import { CACHED_ONLY } from "../../actors/kernel/adapters/module_cache.ts";
import type { ShellLevelName } from "../../actors/tools/shell/level.ts";
import { withPort } from "./load.ts";

/** Flags that the gateway is started with. */
export interface OwnFlags {
  readonly config?: string | undefined;
  readonly workspace?: string | undefined;
  readonly port?: number | undefined;
}

/** The command, and why it is as it is. */
export interface GatewayLine {
  /**
   * Program and arguments, with exact rights.
   *
   * @throws {UnnameablePathError}
   */
  readonly command: () => readonly string[];
  /** The same with all rights. */
  readonly unbound: readonly string[];
  readonly rights: Rights;
  readonly parts: readonly PartNeeds[];
  /** What is to be said of the shell; undefined where the configuration says it. */
  readonly shell: string | undefined;
}

/** What `auto` was found to take, and how to speak of it. */
interface ShellTrial {
  readonly level: ShellLevelName | undefined;
  readonly told: string;
}

/** Makes it; the shell is tried for that, where the configuration leaves its level open. */
export async function gatewayLine(
  asConfigured: LoadedConfig,
  machine: Machine,
  flags: OwnFlags,
): Promise<GatewayLine> {
  const loaded = withPort(asConfigured, flags.port);
  const trial = await tryShell(loaded);
  const parts = partsOf(gatherFacts(loaded, { ...machine, triedLevel: trial?.level }));
  const rights = rightsOf(parts);
  const started = (rightFlags: () => readonly string[]) => {
    const { appFolder, denoPath } = machine;
    const program = appFolder === null ? [] : ["run", ...rightFlags(), `${appFolder}/mod.ts`];
    return [denoPath, ...program, "gateway", ...ownWords(flags)];
  };
  return {
    command: () => started(() => flagsOf(rights)),
    unbound: started(() => ["-A", "--no-prompt", ...CACHED_ONLY]),
    rights,
    parts,
    shell: trial?.told,
  };
}

/** Tries what `auto` would take, as the start does; undefined where the configuration says it. */
async function tryShell(loaded: LoadedConfig): Promise<ShellTrial | undefined> {
  const { enable, sandbox } = loaded.config.tools.exec;
  if (!enable || sandbox !== "auto") return undefined;
  const guessed = (why: string) => ({
    level: undefined,
    told: `the shell's level is guessed: ${why}`,
  });
  const lacking = ["bwrap", Deno.execPath()].filter((value) => !isGranted({ right: "run", value }));
  if (lacking.length > 0) return guessed(`this process may not run ${lacking.join(", ")}`);
  const { workspace, stateFolder } = loaded.locations;
  if ([workspace, stateFolder].some(lacksFolder)) {
    return guessed("it can be tried once a gateway was started here");
  }
  await using shell = wireShell(loaded, systemWorld());
  const level = await shell.level;
  const told = `the shell's level was tried just now: ${await shell.line}`;
  return { level: level ?? undefined, told };
}

function ownWords({ config, workspace, port }: OwnFlags): string[] {
  return [
    ...(config === undefined ? [] : ["--config", config]),
    ...(workspace === undefined ? [] : ["--workspace", workspace]),
    ...(port === undefined ? [] : ["--port", String(port)]),
  ];
}
