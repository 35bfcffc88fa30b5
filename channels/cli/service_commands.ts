/**
 * The commands about the service that keeps the gateway running, and their flags.
 * @module
 */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { loadCommands } from "./load_commands.ts";
import { configOption, jsonOption, portOption, workspaceOption } from "./options.ts";

const EXAMPLES = `
Examples:
  troupe service install --print       show the file, change nothing
  troupe service install               run the gateway now and at every login
  troupe service install --copy-env    the same, with the variables that config.json names
  troupe service logs --follow
  troupe service uninstall
`;

/** Adds `service` and what stands below it. */
export function addService(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  const service = program.command("service")
    .description("have the system keep the gateway running (systemd, launchd)")
    .addHelpText("after", EXAMPLES);
  shared(service.command("install"))
    .description("write the service's file, and start it")
    .option("--all-rights", "start it with -A instead of exactly the rights that it needs")
    .option("--copy-env", "write the variables that the configuration names into service.env")
    .option("--print", "show the file instead of writing it")
    .addOption(portOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText("after", EXAMPLES)
    .action(async (flags) => {
      const { serviceInstallCommand } = await (await loadCommands()).service();
      done(await serviceInstallCommand(flags, terminal));
    });
  shared(service.command("status"))
    .description("say whether it runs; 1 where it does not")
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (flags) => {
      const { serviceStatusCommand } = await (await loadCommands()).service();
      done(await serviceStatusCommand(flags, terminal));
    });
  shared(service.command("logs"))
    .description("show what it wrote last")
    .addOption(linesOption())
    .option("-f, --follow", "go on showing what comes")
    .addHelpText("after", EXAMPLES)
    .action(async (flags) => {
      const { serviceLogsCommand } = await (await loadCommands()).service();
      done(await serviceLogsCommand(flags));
    });
  shared(service.command("uninstall"))
    .description("stop it, and remove its file; all else stays")
    .option("--print", "show what would be run")
    .addHelpText("after", EXAMPLES)
    .action(async (flags) => {
      const { serviceUninstallCommand } = await (await loadCommands()).service();
      done(await serviceUninstallCommand(flags, terminal));
    });
}

function shared(command: Command): Command {
  return command.addOption(nameOption()).addOption(
    new Option("--manager <name>", "instead of this system's own")
      .choices(["systemd", "launchd"]),
  );
}

function nameOption(): Option {
  return new Option("--name <name>", "tells it from the service of another gateway")
    .default("troupe")
    .argParser((text) => {
      if (/^[a-z][a-z0-9-]{0,40}$/.test(text)) return text;
      throw new InvalidArgumentError("a name is made of small letters, digits and hyphens");
    });
}

function linesOption(): Option {
  return new Option("-n, --lines <number>", "how many lines").default(100).argParser((text) => {
    const lines = Number(text);
    if (Number.isInteger(lines) && lines >= 1 && lines <= 100_000) return lines;
    throw new InvalidArgumentError("a number of lines is a whole number from 1 to 100000");
  });
}
