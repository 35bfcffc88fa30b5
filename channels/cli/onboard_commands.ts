/**
 * The command of the first run, and its flags.
 * @module
 */

import type { Command } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import { addLoginOptions, configOption, workspaceOption } from "./options.ts";

/** Adds `onboard`. */
export function addOnboard(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  const command = program.command("onboard")
    .description("set everything up: a model, a chat, a first message; can be run again")
    .option("--provider <name>", "who serves the model: ollama, deepseek, custom, …")
    .option("--model <name>", "the model, as the provider writes it")
    .option("--api-key <key>", "its key, or '${NAME}' for an environment variable")
    .option("--api-base <url>", "its address, where it is not the vendor's own")
    .option("--channel <name>", "also set this channel up: telegram, feishu, …");
  addLoginOptions(command)
    .option("-y, --yes", "ask nothing: take the flags, what is there, and what is found")
    .option("--set-aside", "move a file that cannot be used out of the way")
    .option("--no-check", "write the file without trying the model")
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText(
      "after",
      examples(
        "onboard",
        "onboard --provider ollama --model qwen3 --yes",
        "onboard --channel telegram --token 123:abc --yes",
      ),
    )
    .action(async (flags) => {
      const { onboardCommand } = await (await loadCommands()).onboard();
      done(await onboardCommand(flags, terminal));
    });
}
