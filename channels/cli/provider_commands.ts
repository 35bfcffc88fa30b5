/**
 * The commands about model providers, and their flags.
 * @module
 */

import { type Command, Option } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";

/** Adds `providers` and `provider`. */
export function addProviders(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  // One set of flags for both: commander gives them to whichever command declares them first.
  const providers = program.command("providers")
    .description("list model providers, what is set up, and which one answers")
    .addOption(new Option("--json", "print JSON, for scripts"))
    .addOption(configOption())
    .addHelpText("after", examples("providers", "providers --json"))
    .action(async (flags) => {
      const { providersCommand } = await (await loadCommands()).providers();
      done(await providersCommand(flags, terminal));
    });
  providers.command("test")
    .description("make a tiny call, and say in one line what is wrong")
    .argument("[provider]", "the one that answers now, if left out")
    .option("-m, --model <name>", "ask this model instead of the configured one")
    .configureHelp({ showGlobalOptions: true })
    .addHelpText("after", examples("providers test", "providers test ollama --model qwen3"))
    .action(async (name, _flags, command: Command) => {
      const { providersTestCommand } = await (await loadCommands()).providers();
      done(await providersTestCommand(name, command.optsWithGlobals(), terminal));
    });
  const provider = program.command("provider")
    .description("sign in to a provider that takes no key, or out of it");
  provider.command("login")
    .description("sign in with the browser")
    .argument("<provider>", "openai-codex or github-copilot")
    .addOption(configOption())
    .addHelpText("after", examples("provider login openai-codex"))
    .action(async (name, flags) => {
      const { providerLoginCommand } = await (await loadCommands()).providerLogin();
      done(await providerLoginCommand(name, flags, terminal));
    });
  provider.command("logout")
    .description("forget the sign-in")
    .argument("<provider>", "openai-codex or github-copilot")
    .addOption(configOption())
    .addHelpText("after", examples("provider logout github-copilot"))
    .action(async (name, flags) => {
      const { providerLogoutCommand } = await (await loadCommands()).providerLogin();
      done(await providerLogoutCommand(name, flags, terminal));
    });
}

function configOption(): Option {
  return new Option("-c, --config <file>", "configuration file (~/.troupe/config.json)");
}
