/**
 * The commands that ask, or tell, a gateway that runs, and their flags.
 * @module
 */

import type { Command } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import { configOption, jsonOption, limitOption, workspaceOption } from "./options.ts";

/** Adds `status`, `failed`, `retry` and `drop`. */
export function addQuestions(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  program.command("status")
    .description("show how the gateway is, or what it will find when it starts")
    .addOption(jsonOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText("after", examples("status", "status --json"))
    .action(async (flags) => {
      const { statusCommand } = await (await loadCommands()).status();
      done(await statusCommand(flags, terminal));
    });
  program.command("failed")
    .description("list the messages that failed, were parked, or ended in doubt")
    .addOption(limitOption())
    .addOption(jsonOption())
    .addOption(configOption())
    .addHelpText("after", examples("failed", "failed --limit 5 --json"))
    .action(async (flags) => {
      const { failedCommand } = await (await loadCommands()).failed();
      done(await failedCommand(flags, terminal));
    });
  program.command("retry")
    .description("take a failed message up again")
    .argument("<id>", "as failed lists it")
    .addOption(configOption())
    .addHelpText("after", examples("retry in-42"))
    .action(async (id, flags) => {
      const { retryCommand } = await (await loadCommands()).decide();
      done(await retryCommand(id, flags, terminal));
    });
  program.command("drop")
    .description("let go of a failed message for good")
    .argument("<id>", "as failed lists it")
    .addOption(configOption())
    .addHelpText("after", examples("drop out-42"))
    .action(async (id, flags) => {
      const { dropCommand } = await (await loadCommands()).decide();
      done(await dropCommand(id, flags, terminal));
    });
}
