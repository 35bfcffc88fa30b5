/**
 * The commands that run the assistant, and their flags.
 * @module
 */

import type { Command } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import { configOption, portOption, workspaceOption } from "./options.ts";

/** Adds `gateway` and `agent`. */
export function addRunning(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  program.command("gateway")
    .description("run the gateway: all enabled channels, until it is stopped")
    .addOption(portOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .option("--verbose", "log details")
    .addHelpText("after", examples("gateway", "gateway --port 0 --verbose"))
    .action(async (flags) => {
      const { gatewayCommand } = await (await loadCommands()).gateway();
      done(await gatewayCommand(flags, terminal));
    });
  program.command("agent")
    .description("talk to the assistant in the terminal")
    .option("-m, --message <text>", "ask once, print the answer, and end; - reads it from a pipe")
    .option("-s, --session <key>", "conversation to continue", "direct")
    .addOption(configOption())
    .addOption(workspaceOption())
    .option("--logs", "show the log")
    .option("--no-markdown", "show answers as the model wrote them")
    .option("--json", "print events as lines of JSON, for scripts")
    .addHelpText(
      "after",
      examples(
        "agent",
        'agent -m "What is on today?"',
        "agent --session work",
        "agent -m - --json",
      ),
    )
    .action(async (flags, command: Command) => {
      const { agentCommand } = await (await loadCommands()).agent();
      const isChosen = command.getOptionValueSource("session") !== "default";
      done(await agentCommand({ ...flags, ...(!isChosen && { session: undefined }) }, terminal));
    });
}
