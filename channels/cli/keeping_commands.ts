/**
 * The commands that look after a gateway over time, and their flags.
 * @module
 */

import { type Command, Option } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import { LEVELS } from "./log_levels.ts";
import { configOption, jsonOption, limitOption, sinceOption } from "./options.ts";

/** Adds `logs`. */
export function addKeeping(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  program.command("logs")
    .description("show the gateway's log, whether it runs or not")
    .option("-f, --follow", "go on showing what comes, until Ctrl-C")
    .addOption(new Option("--level <level>", "the lowest level that is shown").choices(LEVELS))
    .addOption(sinceOption())
    .addOption(limitOption().default(200))
    .addOption(jsonOption())
    .addOption(configOption())
    .addHelpText(
      "after",
      examples("logs --level warning --since 1d", "logs --follow", "logs --json -n 1000"),
    )
    .action(async (flags) => {
      const { logsCommand } = await (await loadCommands()).logs();
      done(await logsCommand(flags, terminal));
    });
}
