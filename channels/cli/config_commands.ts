/**
 * The commands about the configuration, and their flags.
 * @module
 */

import type { Command } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import { configOption, jsonOption } from "./options.ts";

/** Adds `config`. */
export function addConfig(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  const config = program.command("config")
    .description("look at the configuration, check it, or change it");
  const modules = async () => await (await loadCommands()).config();
  config.command("get")
    .description("print a setting as it counts, or all of them; secrets as ***")
    .argument("[key]", "such as agents.defaults.model; all without")
    .addOption(jsonOption())
    .addOption(configOption())
    .addHelpText("after", examples("config get agents.defaults.model", "config get tools --json"))
    .action(async (key, flags) => done(await (await modules()).getCommand(key, flags, terminal)));
  config.command("set")
    .description("change a setting in the file, if the whole can be used then")
    .argument("<key>", "such as gateway.port")
    .argument("<value>", "text, a number, true, null, or JSON; - asks for it, or reads a pipe")
    .addOption(configOption())
    .addHelpText(
      "after",
      examples(
        "config set agents.defaults.timezone Asia/Shanghai",
        "config set owners '[\"telegram:123\"]'",
        "config set providers.openrouter.apiKey '${OPENROUTER_API_KEY}'",
        "config set providers.openrouter.apiKey -",
      ),
    )
    .action(async (key, value, flags) =>
      done(await (await modules()).setCommand({ key, value }, flags, terminal))
    );
  config.command("check")
    .description("say what is wrong or odd in the file, and what comes from the environment")
    .addOption(jsonOption())
    .addOption(configOption())
    .addHelpText("after", examples("config check", "config check --config ./config.json --json"))
    .action(async (flags) => done(await (await modules()).checkCommand(flags, terminal)));
  config.command("path")
    .description("print where the file is, or would be")
    .addOption(jsonOption())
    .addOption(configOption())
    .addHelpText("after", examples("config path", "config path --json"))
    .action(async (flags) => done(await (await modules()).pathCommand(flags, terminal)));
  config.command("schema")
    .description("print a JSON Schema of the file, for editors")
    .addHelpText("after", examples("config schema > ~/.troupe/config.schema.json"))
    .action(async () => done(await (await modules()).schemaCommand(terminal)));
}
