/**
 * The commands as the help lists them: by what somebody wants to do.
 * @module
 */

import type { Command } from "commander";

/** Headings, and the names of the commands below them. Each command has its place in one. */
export const COMMAND_GROUPS: Readonly<Record<string, readonly string[]>> = {
  "Begin:": ["onboard", "migrate", "doctor"],
  "Run:": ["gateway", "serve", "service", "agent"],
  "See how it is:": ["status", "top", "logs", "failed", "retry", "drop", "audit"],
  "Set up:": ["config", "channels", "providers", "provider", "mcp", "permissions"],
  "What the assistant keeps:": ["sessions", "cron", "skills", "backup", "restore"],
  "This program:": ["completion", "help"],
};

/** Puts each command under its heading. */
export function groupCommands(program: Command): void {
  for (const [heading, names] of Object.entries(COMMAND_GROUPS)) {
    for (const command of program.commands) {
      if (names.includes(command.name())) command.helpGroup(heading);
    }
  }
  program.commandsGroup("This program:").helpCommand(
    "help [command]",
    "show the help of a command",
  );
}
