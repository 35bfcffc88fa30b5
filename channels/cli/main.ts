/**
 * The command line: which commands there are, and how their failures look.
 * @module
 */

import { Command, CommanderError } from "commander";
import { asError } from "../../actors/kernel/errors.ts";
import { systemTerminal, type Terminal } from "./adapters/terminal.ts";
import { addChannels } from "./channel_commands.ts";
import { addConfig } from "./config_commands.ts";
import { addCron } from "./cron_commands.ts";
import { addCompletion } from "./completion_commands.ts";
import { addDoctor } from "./doctor_commands.ts";
import { examples, PROGRAM } from "./help/examples.ts";
import { groupCommands } from "./help/groups.ts";
import { answerInOneLine } from "./help/usage_error.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_NOT_BEGUN } from "./exit_codes.ts";
import { addKeeping } from "./keeping_commands.ts";
import { addMcp } from "./mcp_commands.ts";
import { addProviders } from "./provider_commands.ts";
import { addMigrate } from "./migrate_commands.ts";
import { addOnboard } from "./onboard_commands.ts";
import { addQuestions } from "./question_commands.ts";
import { addReload } from "./reload_commands.ts";
import { addRights } from "./rights_commands.ts";
import { addRunning } from "./running_commands.ts";
import { addServe } from "./serve_commands.ts";
import { addService } from "./service_commands.ts";
import { addSessions } from "./session_commands.ts";
import { addSkills } from "./skill_commands.ts";
import { addTop } from "./top_commands.ts";
import { VERSION } from "./version.ts";

/** Below the list of commands. */
const EXIT_CODES = "Exit codes: 0 done, 1 failed, 2 not begun (usage, configuration, a lock);\n" +
  "75 the gateway is to be started again; 129, 130, 143 ended by a signal";

/** By the names of Deno's errors. */
const FIXES_OF_SYSTEM: ReadonlyMap<string, string> = new Map([
  ["PermissionDenied", "see that this user may read and write there, or name another place"],
  ["NotFound", "see that the folder above it is there, or name another place"],
  ["NotADirectory", "a file is in the way: move it, or name another place"],
]);

/** Runs the command that `args` name; resolves with the exit code. */
export async function main(
  args: readonly string[],
  terminal: Terminal = systemTerminal(),
): Promise<number> {
  let exitCode = EXIT_DONE;
  const program = makeProgram(terminal, (code) => exitCode = code);
  try {
    await program.parseAsync(args.length === 0 ? ["--help"] : [...args], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_DONE : EXIT_NOT_BEGUN;
    return fail(asError(error), terminal);
  }
}

/** One line for each fault, no stack: those are in the log, at debug level. */
function fail(error: Error, terminal: Terminal): number {
  const message = error.message === "" ? error.name : `${error.message}${fixOfSystem(error)}`;
  for (const line of message.split("\n")) terminal.writeError(`Error: ${line}\n`);
  return "exitCode" in error && typeof error.exitCode === "number" ? error.exitCode : EXIT_FAILED;
}

/** What to do about what the system itself says, which names the path. */
function fixOfSystem({ name }: Error): string {
  const fix = FIXES_OF_SYSTEM.get(name);
  return fix === undefined ? "" : ` (${fix})`;
}

/** The commands. What they run is loaded when they are called: help needs none of it. */
export function makeProgram(terminal: Terminal, done: (exitCode: number) => void): Command {
  const program = new Command(PROGRAM)
    .description("A personal assistant, reached from your chats and your terminal")
    .version(VERSION, "-v, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .exitOverride()
    .configureOutput({ writeOut: terminal.write, writeErr: terminal.writeError })
    .addHelpText(
      "after",
      `${examples("onboard", "gateway", "agent", "doctor")}\n\n${EXIT_CODES}`,
    );
  addOnboard(program, terminal, done);
  addMigrate(program, terminal, done);
  addDoctor(program, terminal, done);
  addRunning(program, terminal, done);
  addServe(program, terminal, done);
  addQuestions(program, terminal, done);
  addConfig(program, terminal, done);
  addChannels(program, terminal, done);
  addProviders(program, terminal, done);
  addMcp(program, terminal, done);
  addKeeping(program, terminal, done);
  addReload(program, terminal, done);
  addRights(program, terminal, done);
  addSessions(program, terminal, done);
  addCron(program, terminal, done);
  addSkills(program, terminal, done);
  addService(program, terminal, done);
  addTop(program, terminal, done);
  addCompletion(program, terminal, done);
  groupCommands(program);
  answerInOneLine(program);
  return program;
}
