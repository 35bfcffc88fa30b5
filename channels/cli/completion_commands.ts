/**
 * The command that prints completion scripts.
 * @module
 */

import { Argument, type Command } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples, PROGRAM } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";

/** Adds `completion`. */
export function addCompletion(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  program.command("completion")
    .description("print what completes commands and flags in a shell")
    .addArgument(new Argument("<shell>", "which one").choices(["bash", "zsh", "fish"]))
    .option("--name <command>", "what you call the program, as an alias", PROGRAM)
    .addHelpText("after", examples("completion bash >> ~/.bashrc", "completion zsh --name tr"))
    .action(async (shell, flags) => {
      const { completionCommand } = await (await loadCommands()).completion();
      done(completionCommand(shell, flags, { program, terminal }));
    });
}
