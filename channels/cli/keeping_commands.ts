/**
 * The commands that look after a gateway over time, and their flags.
 * @module
 */

import { type Command, Option } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import { LEVELS } from "./log_levels.ts";
import { configOption, jsonOption, limitOption, sinceOption, workspaceOption } from "./options.ts";

/** Adds `logs`, `backup` and `restore`. */
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
  program.command("backup")
    .description("put all that the gateway keeps into one file, while it runs or not")
    .argument("<file>", "a name that nothing has; .tar.gz compresses it")
    .option("--with-secrets", "with keys, tokens and sign-ins, which are left out otherwise")
    .option("--no-media", "without the files that were sent")
    .addOption(jsonOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText("after", examples("backup ~/troupe.tar.gz", "backup full.tar --with-secrets"))
    .action(async (file, flags) => {
      const { backupCommand } = await (await loadCommands()).backup();
      done(await backupCommand(file, flags, terminal));
    });
  program.command("restore")
    .description("put a backup into the config home; the copy sends nothing until it is unfenced")
    .argument("[file]", "a backup")
    .option("--force", "although there is a home already, which is set aside")
    .option("--unfence", "let the restored copy take in and send messages, and run jobs")
    .addOption(configOption())
    .addHelpText(
      "after",
      examples("restore ~/troupe.tar.gz", "restore --unfence", "restore old.tar --force"),
    )
    .action(async (file, flags) => {
      const { restoreCommand } = await (await loadCommands()).restore();
      done(await restoreCommand(file, flags, terminal));
    });
}
