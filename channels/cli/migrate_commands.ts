/**
 * The command that moves over from another assistant, and its flags.
 * @module
 */

import { type Command, Option } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import { configOption, jsonOption, workspaceOption } from "./options.ts";

/** Adds `migrate`. */
export function addMigrate(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  program.command("migrate")
    .description(
      "take over what nanobot or OpenClaw kept, or give it to nanobot; nothing is written over",
    )
    .argument("<folder>", "~/.nanobot, ~/.openclaw or a copy; with --to, where a folder is made")
    .addOption(
      new Option("--from <assistant>", "whose folder it is, where that cannot be seen")
        .choices(["nanobot", "openclaw"]),
    )
    .addOption(
      new Option("--to <assistant>", "carry what is here into a folder for this one instead")
        .choices(["nanobot"]).conflicts("from"),
    )
    .option("--dry-run", "only say what would be carried")
    .addOption(jsonOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText(
      "after",
      examples(
        "migrate ~/.nanobot --dry-run",
        "migrate ~/.openclaw --from openclaw",
        "migrate ~/carried --to nanobot",
      ),
    )
    .action(async (folder, flags) => {
      const { migrateCommand } = await (await loadCommands()).migrate();
      done(await migrateCommand(folder, flags, terminal));
    });
}
