/**
 * `permissions`: the narrowest command that starts the gateway of a configuration.
 * @module
 */

import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import { lacksFolder } from "../../../actors/gateway/adapters/local_folders.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { isGranted, thisMachine } from "../../../actors/gateway/rights/adapters/machine.ts";
import { flagsOf, rightsOf } from "../../../actors/gateway/rights/flags.ts";
import { gatherFacts } from "../../../actors/gateway/rights/rights_facts.ts";
import { type PartNeeds, partsOf } from "../../../actors/gateway/rights/rights_table.ts";
import { wireShell } from "../../../actors/gateway/shell_wiring.ts";
import type { ShellLevelName } from "../../../actors/tools/shell/level.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";

/** Flags of the command. */
export interface PermissionsFlags extends LoadFlags {
  readonly port?: number | undefined;
  readonly json?: boolean | undefined;
}

/** Prints it; 0. */
export async function permissionsCommand(
  flags: PermissionsFlags,
  terminal: Terminal,
): Promise<number> {
  const machine = thisMachine(); // before secrets are taken out of the environment
  const loaded = withPort(await loadAndPrepare(flags, terminal, { logs: false }), flags.port);
  const trial = await tryShell(loaded);
  const parts = partsOf(gatherFacts(loaded, { ...machine, triedLevel: trial?.level }));
  const rights = rightsOf(parts);
  const main = machine.appFolder === null ? [] : [`${machine.appFolder}/mod.ts`];
  const command = machine.appFolder === null
    ? [machine.denoPath, "gateway", ...ownFlags(flags)]
    : [machine.denoPath, "run", ...flagsOf(rights), ...main, "gateway", ...ownFlags(flags)];
  if (flags.json === true) {
    terminal.write(
      `${
        JSON.stringify({ command, rights, parts, ...(trial && { shell: trial.told }) }, null, 2)
      }\n`,
    );
    return 0;
  }
  terminal.write(`${command.map(quoted).join(" ")}\n\n`);
  if (machine.appFolder === null) {
    terminal.write("The rights of a compiled program are fixed when it is compiled; it needs:\n");
  }
  for (const part of parts) terminal.write(partText(part));
  if (trial !== undefined) terminal.write(`  ${trial.told}\n`);
  return 0;
}

/** What `auto` was found to take, and how to speak of it. */
interface ShellTrial {
  readonly level: ShellLevelName | undefined;
  readonly told: string;
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

function partText({ part, needs, without, remark }: PartNeeds): string {
  const lines = needs.map((need) => {
    const mark = isGranted(need) ? "" : " (missing in this process)";
    return `    ${need.right} ${need.value}${mark}\n`;
  });
  const note = remark === undefined ? "" : `    (${remark})\n`;
  return `  ${part}; without: ${without}\n${lines.join("")}${note}`;
}

function ownFlags({ config, workspace, port }: PermissionsFlags): string[] {
  return [
    ...(config === undefined ? [] : ["--config", config]),
    ...(workspace === undefined ? [] : ["--workspace", workspace]),
    ...(port === undefined ? [] : ["--port", String(port)]),
  ];
}

function withPort<T extends Awaited<ReturnType<typeof loadAndPrepare>>>(
  loaded: T,
  port: number | undefined,
): T {
  if (port === undefined) return loaded;
  const { config } = loaded;
  return { ...loaded, config: { ...config, gateway: { ...config.gateway, port } } };
}

/** As a POSIX shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
