/**
 * The command that shows what goes on inside the gateway, and its flags.
 * @module
 */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import { configOption } from "./options.ts";

/** Adds `top`. */
export function addTop(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  program.command("top")
    .description("show what goes on inside the running gateway: turns, channels, mailboxes")
    .addOption(everyOption())
    .option("--once", "look once, and end")
    .option("--json", "print each look as a line of JSON, for scripts")
    .addOption(configOption())
    .addHelpText("after", examples("top", "top --every 5", "top --once --json"))
    .action(async (flags) => {
      const { topCommand } = await (await loadCommands()).top();
      done(await topCommand(flags, terminal));
    });
}

function everyOption(): Option {
  return new Option("--every <seconds>", "between two looks").default(1).argParser((text) => {
    const seconds = Number(text);
    if (seconds >= 0.1 && seconds <= 3_600) return seconds;
    throw new InvalidArgumentError("seconds are a number from 0.1 to 3600");
  });
}
