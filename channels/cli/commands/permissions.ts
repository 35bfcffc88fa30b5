/**
 * `permissions`: the narrowest command that starts the gateway of a configuration.
 * @module
 */

import { isGranted, thisMachine } from "../../../actors/gateway/rights/adapters/machine.ts";
import { flagsOf, rightsOf } from "../../../actors/gateway/rights/flags.ts";
import { gatherFacts } from "../../../actors/gateway/rights/rights_facts.ts";
import { type PartNeeds, partsOf } from "../../../actors/gateway/rights/rights_table.ts";
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
  const parts = partsOf(gatherFacts(loaded, machine));
  const rights = rightsOf(parts);
  const main = machine.appFolder === null ? [] : [`${machine.appFolder}/mod.ts`];
  const command = machine.appFolder === null
    ? [machine.denoPath, "gateway", ...ownFlags(flags)]
    : [machine.denoPath, "run", ...flagsOf(rights), ...main, "gateway", ...ownFlags(flags)];
  if (flags.json === true) {
    terminal.write(`${JSON.stringify({ command, rights, parts }, null, 2)}\n`);
    return 0;
  }
  terminal.write(`${command.map(quoted).join(" ")}\n\n`);
  if (machine.appFolder === null) {
    terminal.write("The rights of a compiled program are fixed when it is compiled; it needs:\n");
  }
  for (const part of parts) terminal.write(partText(part));
  return 0;
}

function partText({ part, needs, without }: PartNeeds): string {
  const lines = needs.map((need) => {
    const mark = isGranted(need) ? "" : " (missing in this process)";
    return `    ${need.right} ${need.value}${mark}\n`;
  });
  return `  ${part}; without: ${without}\n${lines.join("")}`;
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
