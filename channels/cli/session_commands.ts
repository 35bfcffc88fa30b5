/**
 * The commands about conversations, and their flags.
 * @module
 */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import { configOption, jsonOption, limitOption, workspaceOption } from "./options.ts";

/** Adds `sessions`. */
export function addSessions(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  const sessions = program.command("sessions")
    .description("look through conversations, search, export or delete them");
  addLooking(sessions, terminal, done);
  addChanging(sessions, terminal, done);
}

/** Those that change nothing. */
function addLooking(
  sessions: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  sessions.command("list")
    .description("list conversations, the latest first")
    .addOption(limitOption())
    .addOption(offsetOption())
    .addOption(jsonOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText("after", examples("sessions list", "sessions list --limit 10 --json"))
    .action(async (flags) => {
      const { listCommand } = await (await loadCommands()).sessions();
      done(await listCommand(flags, terminal));
    });
  sessions.command("show")
    .description("show what a conversation is, and its last messages")
    .argument("<key>", "as list names it, for example feishu:oc_1")
    .addOption(limitOption())
    .addOption(jsonOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText(
      "after",
      examples("sessions show cli:direct", "sessions show feishu:oc_1 --limit 5"),
    )
    .action(async (key, flags) => {
      const { showCommand } = await (await loadCommands()).sessions();
      done(await showCommand(key, flags, terminal));
    });
  sessions.command("search")
    .description("find what was said, noted or summed up, by its words")
    .argument("<words...>", "words that stand in it")
    .addOption(limitOption().default(20))
    .addOption(offsetOption())
    .option("--since <time>", "not older than 30d, 12h, or a date")
    .option("--until <time>", "not newer than a date")
    .addOption(jsonOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText(
      "after",
      examples("sessions search water the plants", "sessions search invoice --since 30d --json"),
    )
    .action(async (words, flags) => {
      const { searchCommand } = await (await loadCommands()).sessions();
      done(await searchCommand(words, flags, terminal));
    });
  sessions.command("export")
    .description("print a conversation: its file as it stands, or Markdown")
    .argument("<key>", "as list names it")
    .option("--md", "as Markdown, with tool calls folded away")
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText(
      "after",
      examples("sessions export cli:direct --md", "sessions export feishu:oc_1"),
    )
    .action(async (key, flags) => {
      const { exportCommand } = await (await loadCommands()).sessions();
      done(await exportCommand(key, flags, terminal));
    });
}

/** Those that make, try or delete one. */
function addChanging(
  sessions: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  sessions.command("fork")
    .description("copy a conversation up to one of its replies, to go on with from there")
    .argument("<key>", "as list names it")
    .argument("<line>", "the number of the reply, as show tells it")
    .option("--as <key>", "what the copy is called (default: cli:<name>-fork-1)")
    .addOption(jsonOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText(
      "after",
      examples(
        "sessions show feishu:oc_1",
        "sessions fork feishu:oc_1 12 --as cli:plan-b",
        "agent --session plan-b",
      ),
    )
    .action(async (key, line, flags) => {
      const { forkCommand } = await (await loadCommands()).sessions();
      done(await forkCommand(key, line, flags, terminal));
    });
  sessions.command("replay")
    .description("run a conversation again from its record, offline, and compare its transcript")
    .argument("<key>", "as list names it")
    .addOption(jsonOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText(
      "after",
      examples("sessions replay cli:direct", "sessions replay feishu:oc_1 --json"),
    )
    .action(async (key, flags) => {
      const { replayCommand } = await (await loadCommands()).sessions();
      done(await replayCommand(key, flags, terminal));
    });
  sessions.command("delete")
    .description("delete a conversation for good; what was summed up of it stays in memory")
    .argument("<key>", "as list names it")
    .addOption(jsonOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText("after", examples("sessions delete cli:old"))
    .action(async (key, flags) => {
      const { deleteCommand } = await (await loadCommands()).sessions();
      done(await deleteCommand(key, flags, terminal));
    });
}

function offsetOption(): Option {
  return new Option("--offset <number>", "how many to leave out first").default(0).argParser(
    (text) => {
      const offset = Number(text);
      if (Number.isInteger(offset) && offset >= 0) return offset;
      throw new InvalidArgumentError("an offset is a whole number from 0");
    },
  );
}
