/**
 * Commands about what the assistant may do and what it did.
 * @module
 */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import { configOption, jsonOption, limitOption, portOption, workspaceOption } from "./options.ts";

/** Adds them. */
export function addRights(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  program.command("permissions")
    .description("print the narrowest command that starts the gateway of this configuration")
    .addOption(portOption())
    .addOption(jsonOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText("after", examples("permissions", "permissions --port 18790 --json"))
    .action(async (flags) => {
      const { permissionsCommand } = await (await loadCommands()).permissions();
      done(await permissionsCommand(flags, terminal));
    });
  const audit = program.command("audit")
    .description("show what was done with tools")
    .option("--session <key>", "only of this conversation")
    .option("--tool <name>", "only of this tool")
    .addOption(sinceOption())
    .addOption(limitOption())
    .addOption(jsonOption())
    .addOption(configOption())
    .addHelpText("after", examples("audit --since 2h", "audit --tool exec --limit 20 --json"))
    .action(async (flags) => {
      const { auditCommand } = await (await loadCommands()).audit();
      done(await auditCommand(flags, terminal));
    });
  audit.command("verify")
    .description("check that nothing in the log was changed or taken out")
    .option("--expect <hash>", "a hash that was noted down before")
    .addHelpText("after", examples("audit verify", "audit verify --expect 3f9a0c"))
    .action(async (_flags, command: Command) => {
      const { auditVerifyCommand } = await (await loadCommands()).audit();
      done(await auditVerifyCommand(command.optsWithGlobals(), terminal));
    });
}

function sinceOption(): Option {
  return new Option("--since <time>", "30m, 2h, 7d, or a date").argParser((text) => {
    const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text.trim()) ?? [];
    if (count !== undefined) return { agoMs: Number(count) * (UNITS_MS[unit] ?? 0) };
    const atMs = Date.parse(text);
    if (!Number.isNaN(atMs)) return { atMs };
    throw new InvalidArgumentError("write 30m, 2h, 7d, or a date such as 2026-05-01");
  });
}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
