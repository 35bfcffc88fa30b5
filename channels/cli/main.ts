/**
 * The command line: which commands there are, and how their failures look.
 * @module
 */

import { Command, CommanderError } from "commander";
import { asError } from "../../actors/kernel/errors.ts";
import { systemTerminal, type Terminal } from "./adapters/terminal.ts";
import { addCron } from "./cron_commands.ts";
import { loadCommands } from "./load_commands.ts";
import { addMcp } from "./mcp_commands.ts";
import { addProviders } from "./provider_commands.ts";
import { addMigrate } from "./migrate_commands.ts";
import { addOnboard } from "./onboard_commands.ts";
import {
  addLoginOptions,
  configOption,
  jsonOption,
  limitOption,
  portOption,
  workspaceOption,
} from "./options.ts";
import { addRights } from "./rights_commands.ts";
import { addService } from "./service_commands.ts";
import { addSessions } from "./session_commands.ts";
import { addSkills } from "./skill_commands.ts";
import { VERSION } from "./version.ts";

/**
 * Runs the command that `args` name; resolves with the exit code: 0 done, 1 failed, 2 wrong usage
 * or configuration, or something that another process holds.
 */
export async function main(
  args: readonly string[],
  terminal: Terminal = systemTerminal(),
): Promise<number> {
  let exitCode = 0;
  const program = makeProgram(terminal, (code) => exitCode = code);
  try {
    await program.parseAsync(args.length === 0 ? ["--help"] : [...args], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return fail(asError(error), terminal);
  }
}

/** One line for each fault, no stack: those are in the log, at debug level. */
function fail(error: Error, terminal: Terminal): number {
  const message = error.message === "" ? error.name : error.message;
  for (const line of message.split("\n")) terminal.writeError(`Error: ${line}\n`);
  return "exitCode" in error && typeof error.exitCode === "number" ? error.exitCode : 1;
}

/** The commands. What they run is loaded when they are called: help needs none of it. */
function makeProgram(terminal: Terminal, done: (exitCode: number) => void): Command {
  const program = new Command("troupe")
    .description("A personal assistant, reached from your chats and your terminal")
    .version(VERSION, "-v, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .exitOverride()
    .configureOutput({ writeOut: terminal.write, writeErr: terminal.writeError })
    .showHelpAfterError("(add --help for the flags)");
  addOnboard(program, terminal, done);
  addMigrate(program, terminal, done);
  addRunning(program, terminal, done);
  addQuestions(program, terminal, done);
  addChannels(program, terminal, done);
  addProviders(program, terminal, done);
  addMcp(program, terminal, done);
  addRights(program, terminal, done);
  addSessions(program, terminal, done);
  addCron(program, terminal, done);
  addSkills(program, terminal, done);
  addService(program, terminal, done);
  return program;
}

/** Commands that run the assistant. */
function addRunning(program: Command, terminal: Terminal, done: (exitCode: number) => void): void {
  program.command("gateway")
    .description("run the gateway: all enabled channels, until it is stopped")
    .addOption(portOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .option("--verbose", "log details")
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
    .action(async (flags, command: Command) => {
      const { agentCommand } = await (await loadCommands()).agent();
      const isChosen = command.getOptionValueSource("session") !== "default";
      done(await agentCommand({ ...flags, ...(!isChosen && { session: undefined }) }, terminal));
    });
}

/** Commands that ask, or tell, a gateway that runs. */
function addQuestions(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  program.command("status")
    .description("show how the gateway is, or what it will find when it starts")
    .addOption(jsonOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .action(async (flags) => {
      const { statusCommand } = await (await loadCommands()).status();
      done(await statusCommand(flags, terminal));
    });
  program.command("failed")
    .description("list the messages that failed, were parked, or ended in doubt")
    .addOption(limitOption())
    .addOption(jsonOption())
    .addOption(configOption())
    .action(async (flags) => {
      const { failedCommand } = await (await loadCommands()).failed();
      done(await failedCommand(flags, terminal));
    });
  program.command("retry")
    .description("take a failed message up again")
    .argument("<id>", "as failed lists it")
    .addOption(configOption())
    .action(async (id, flags) => {
      const { retryCommand } = await (await loadCommands()).decide();
      done(await retryCommand(id, flags, terminal));
    });
  program.command("drop")
    .description("let go of a failed message for good")
    .argument("<id>", "as failed lists it")
    .addOption(configOption())
    .action(async (id, flags) => {
      const { dropCommand } = await (await loadCommands()).decide();
      done(await dropCommand(id, flags, terminal));
    });
}

/** Commands about channels. */
function addChannels(
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
    .action(async (name, flags) => {
      const { channelsLoginCommand } = await (await loadCommands()).channelsLogin();
      done(await channelsLoginCommand(name, flags, terminal));
    });
}
