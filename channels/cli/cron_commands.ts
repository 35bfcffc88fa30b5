/**
 * The commands about jobs, and their flags.
 * @module
 */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import { configOption, jsonOption, workspaceOption } from "./options.ts";

/** Adds `cron`. */
export function addCron(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  const cron = program.command("cron").description("look at jobs at set times, and change them");
  const command = (name: string, description: string) =>
    cron.command(name).description(description)
      .addOption(jsonOption())
      .addOption(configOption())
      .addOption(workspaceOption());
  const modules = async () => await (await loadCommands()).cron();
  command("list", "list jobs, the next one first")
    .addHelpText("after", examples("cron list", "cron list --json"))
    .action(async (flags) => done(await (await modules()).listCommand(flags, terminal)));
  withSchedule(command("add", "make a job, and show when it runs"))
    .argument("<message>", "what the assistant is to do then")
    .option("--to <channel:chat>", "where its answer goes; without it, nowhere")
    .addHelpText(
      "after",
      examples(
        'cron add "Water the plants" --cron "0 9 * * MON-FRI"',
        'cron add "Stretch" --every 3600 --to feishu:oc_1',
        'cron add "Call home" --at +20m',
      ),
    )
    .action(async (message, flags) =>
      done(await (await modules()).addCommand(message, flags, terminal))
    );
  withSchedule(command("edit", "change a job"))
    .argument("<id>", "as list shows it")
    .option("--message <text>", "what the assistant is to do")
    .addHelpText("after", examples("cron edit 4f2a --every 7200"))
    .action(async (id, flags) => done(await (await modules()).editCommand(id, flags, terminal)));
  command("remove", "take a job away")
    .argument("<id>", "as list shows it")
    .addHelpText("after", examples("cron remove 4f2a"))
    .action(async (id, flags) => done(await (await modules()).removeCommand(id, flags, terminal)));
  command("enable", "have a job run by its schedule again")
    .argument("<id>", "as list shows it")
    .addHelpText("after", examples("cron enable 4f2a"))
    .action(async (id, flags) =>
      done(await (await modules()).enableCommand(id, true, flags, terminal))
    );
  command("disable", "pause a job")
    .argument("<id>", "as list shows it")
    .addHelpText("after", examples("cron disable 4f2a"))
    .action(async (id, flags) =>
      done(await (await modules()).enableCommand(id, false, flags, terminal))
    );
  command("run", "run a job now, beside its schedule")
    .argument("<id>", "as list shows it")
    .option("--force", "also when it is paused")
    .addHelpText("after", examples("cron run 4f2a --force"))
    .action(async (id, flags) => done(await (await modules()).runCommand(id, flags, terminal)));
  command("history", "show what became of a job's runs")
    .argument("<id>", "as list shows it")
    .addHelpText("after", examples("cron history 4f2a --json"))
    .action(async (id, flags) => done(await (await modules()).historyCommand(id, flags, terminal)));
}

function withSchedule(command: Command): Command {
  return command
    .addOption(new Option("--every <seconds>", "interval, 10 or more").argParser(secondsOf))
    .option("--cron <expression>", 'times of day, such as "0 9 * * MON-FRI"')
    .option("--at <time>", "a single time: 2026-05-01T08:00, or +20m")
    .option("--tz <zone>", "time zone of --cron and --at (agents.defaults.timezone)")
    .option("--name <name>", "what it is called")
    .addOption(
      new Option("--missed <policy>", "what happens to times that went by while nothing ran")
        .choices(["skip", "once", "all"]),
    );
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== "" && Number.isFinite(seconds)) return seconds;
  throw new InvalidArgumentError("an interval is a number of seconds");
}
