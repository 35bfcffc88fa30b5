/**
 * Commands about what the assistant may do and what it did.
 * @module
 */

import type { Command } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import {
  configOption,
  jsonOption,
  limitOption,
  portOption,
  sinceOption,
  workspaceOption,
} from "./options.ts";

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
