/**
 * `permissions`: the narrowest command that starts the gateway of a configuration.
 * @module
 */

import { isGranted, thisMachine } from "../../../actors/gateway/rights/adapters/machine.ts";
import type { PartNeeds } from "../../../actors/gateway/rights/rights_table.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { gatewayLine } from "../gateway_line.ts";
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
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const { command: commandOf, rights, parts, shell } = await gatewayLine(loaded, machine, flags);
  const command = commandOf();
  if (flags.json === true) {
    const facts = { command, rights, parts, ...(shell !== undefined && { shell }) };
    terminal.write(`${JSON.stringify(facts, null, 2)}\n`);
    return 0;
  }
  terminal.write(`${command.map(quoted).join(" ")}\n\n`);
  if (machine.appFolder === null) {
    terminal.write(
      "The rights of a compiled program are fixed when it is compiled (deno task compile --rights); " +
        "it needs:\n",
    );
  }
  for (const part of parts) terminal.write(partText(part));
  if (shell !== undefined) terminal.write(`  ${shell}\n`);
  return 0;
}

function partText({ part, needs, without, remark }: PartNeeds): string {
  const lines = needs.map((need) => {
    const mark = isGranted(need) ? "" : " (missing in this process)";
    return `    ${need.right} ${need.value}${mark}\n`;
  });
  const note = remark === undefined ? "" : `    (${remark})\n`;
  return `  ${part}; without: ${without}\n${lines.join("")}${note}`;
}

/** As a POSIX shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
