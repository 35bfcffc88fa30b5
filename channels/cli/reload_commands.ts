/**
 * `config reload`, and its flags.
 * @module
 */

import type { Command } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import { configOption, jsonOption } from "./options.ts";

/** Adds `reload` to the group \`config\`, which it makes where it is not there. */
export function addReload(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  const config = program.commands.find((command) => command.name() === "config") ??
    program.command("config").description("look at the configuration, check or change it");
  config.command("reload")
    .description("have the running gateway read its configuration now")
    .addOption(jsonOption())
    .addOption(configOption())
    .addHelpText("after", `\n${NOTE}\n${examples("config reload", "config reload --json")}`)
    .action(async (flags) => {
      const { reloadCommand } = await (await loadCommands()).configReload();
      done(await reloadCommand(flags, terminal));
    });
}

const NOTE =
  "Edits are noticed by themselves within seconds; this waits for them, and says what came of it.";
