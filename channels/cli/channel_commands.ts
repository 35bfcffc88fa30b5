/**
 * The commands about channels, and their flags.
 * @module
 */

import type { Command } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import { addLoginOptions, configOption, jsonOption } from "./options.ts";

/** Adds `channels`. */
export function addChannels(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  const channels = program.command("channels")
    .description("show channels, or set one up");
  channels.command("status")
    .description("list all channels, and how those that are on are")
    .addOption(jsonOption())
    .addOption(configOption())
    .addHelpText("after", examples("channels status", "channels status --json"))
    .action(async (flags) => {
      const { channelsStatusCommand } = await (await loadCommands()).channelsStatus();
      done(await channelsStatusCommand(flags, terminal));
    });
  addLoginOptions(
    channels.command("login")
      .description("set a channel up, and say what is missing")
      .argument("<channel>", "for example feishu"),
  )
    .option("--instance <id>", "a further bot of the same channel")
    .option("-f, --force", "begin anew, though there are credentials")
    .option("-y, --yes", "ask nothing")
    .addOption(jsonOption())
    .addOption(configOption())
    .addHelpText(
      "after",
      examples(
        "channels login telegram",
        "channels login feishu --scan",
        "channels login slack --yes --json",
      ),
    )
    .action(async (name, flags) => {
      const { channelsLoginCommand } = await (await loadCommands()).channelsLogin();
      done(await channelsLoginCommand(name, flags, terminal));
    });
}
