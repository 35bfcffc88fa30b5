/**
 * The slash commands that a session answers by itself, without the model: what they are called,
 * what may follow their names, and who may use them. Help, menus and completion are made from this.
 * @module
 */

import type { ChannelCommand } from "../../channels/channel.ts";

/** A command, as its name in the table. */
export type CommandName =
  | "new"
  | "stop"
  | "undo"
  | "goal"
  | "status"
  | "context"
  | "model"
  | "usage"
  | "dream"
  | "dream-log"
  | "dream-restore"
  | "approve"
  | "deny"
  | "restart"
  | "help";

/** How a command is written, and what it is for. */
export interface CommandEntry {
  /** Lower case; a hyphen may be written as an underscore, as some platforms' menus want it. */
  readonly name: CommandName;
  /** What may follow the name, in one word for people; without it nothing may. */
  readonly argument?: string;
  /** One line for people. Menus of platforms show 100 characters. */
  readonly help: string;
  /** Where there are owners, only they may use it. @default false */
  readonly isForOwners?: true;
  /** Ends what was accepted before it. @default false */
  readonly endsTurn?: true;
}

/** A message that is a command. */
export interface ParsedCommand {
  readonly name: CommandName;
  /** What follows the name, as it was written; "" for nothing. */
  readonly argument: string;
}

/** All commands, in the order in which help and menus list them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "new",
    help: "Start a new session; the conversation so far is left behind",
    endsTurn: true,
  },
  { name: "stop", help: "Stop what is running in this chat", endsTurn: true },
  {
    name: "undo",
    help: "Take the last message and its answer back; what tools did stays done",
    endsTurn: true,
  },
  {
    name: "goal",
    argument: "what",
    help: "Set a goal that I work on by myself; alone: how it stands; stop or go: end it, or go on",
  },
  { name: "status", help: "Show model, context, uptime and version" },
  { name: "context", help: "Show what the model has before it, and how much room each part takes" },
  {
    name: "model",
    argument: "name",
    help: "Show this session's model, or change it; default goes back",
  },
  { name: "usage", help: "Show tokens, cost and budgets of this session, today and this month" },
  { name: "dream", help: "Put what I remember in order now" },
  {
    name: "dream-log",
    argument: "id",
    help: "Show what the newest version of my memory changed, or the one with that id",
  },
  {
    name: "dream-restore",
    argument: "id",
    help: "Take that version's change of my memory back; without an id, list the versions",
    isForOwners: true,
  },
  { name: "approve", argument: "question", help: "Let the tool call run that I asked about" },
  { name: "deny", argument: "question", help: "Do not let it run" },
  { name: "restart", help: "Restart the assistant", isForOwners: true },
  { name: "help", help: "Show this list" },
];

const BY_NAME: ReadonlyMap<string, CommandEntry> = new Map(
  COMMANDS.map((entry) => [entry.name, entry]),
);

/**
 * The command that a message is: its first word names one (blanks around the message and case
 * aside), and nothing follows that the command does not take. Anything else, unknown slash words
 * too, is for the model.
 */
export function parseCommand(text: string): ParsedCommand | null {
  const [, word = "", argument = ""] = /^\/([a-z_-]+)(?:\s+(.*))?$/isu.exec(text.trim()) ?? [];
  const entry = BY_NAME.get(word.toLowerCase().replaceAll("_", "-"));
  if (entry === undefined || (argument !== "" && entry.argument === undefined)) return null;
  return { name: entry.name, argument };
}

/** Whether a command ends what was accepted before it. */
export function endsTurn(name: CommandName): boolean {
  return BY_NAME.get(name)?.endsTurn === true;
}

/** Whether only owners may use a command, where there are any. */
export function isForOwners(name: CommandName): boolean {
  return BY_NAME.get(name)?.isForOwners === true;
}

/** The commands for menus of platforms and for the terminal's completion, in order. */
export function commandMenu(): ChannelCommand[] {
  return COMMANDS.map(({ name, argument = null, help }) => ({ name, argument, description: help }));
}

/** One line for each command. */
export function helpText(): string {
  return ["Commands:", ...COMMANDS.map((entry) => `${usageOf(entry)}: ${entry.help}`)].join("\n");
}

function usageOf({ name, argument }: CommandEntry): string {
  return argument === undefined ? `/${name}` : `/${name} [${argument}]`;
}
