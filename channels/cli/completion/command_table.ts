/**
 * The commands as a table: paths, flags, arguments, and what may stand in their places. Completion
 * is made from it, and the page of commands is held against it.
 * @module
 */

import type { Argument, Command, Option } from "commander";

/** What can be completed where a value is expected. */
export type Values =
  | { readonly type: "words"; readonly words: readonly string[] }
  | { readonly type: "files" }
  | { readonly type: "folders" }
  | { readonly type: "free" };

/** One flag in all its spellings. */
export interface FlagEntry {
  /** `-c`; null without. */
  readonly short: string | null;
  readonly long: string;
  readonly description: string;
  /** Null for a switch. */
  readonly value: Values | null;
}

/** One command, or a group of some. */
export interface CommandEntry {
  /** `channels login`; "" is the program itself. */
  readonly path: string;
  readonly description: string;
  readonly flags: readonly FlagEntry[];
  /** What is expected in its places, in order. */
  readonly places: readonly Values[];
  /** The commands right below it. */
  readonly below: readonly { readonly name: string; readonly description: string }[];
}

/** Words for the places that commander knows no choices of; none are known where it gives null. */
export type WordsOf = (path: string, name: string) => readonly string[] | null;

/** All commands, each before those below it. */
export function commandTable(program: Command, wordsOf: WordsOf): readonly CommandEntry[] {
  return entriesOf(program, { path: "", inherited: [], wordsOf });
}

/** Whether it only holds other commands: what does something itself has flags or places. */
export function isGroup({ below, places, flags }: CommandEntry): boolean {
  return below.length > 0 && places.length === 0 && flags.every(({ long }) => long === "--help");
}

interface Place {
  readonly path: string;
  /** Flags that commander takes for commands above. */
  readonly inherited: readonly FlagEntry[];
  readonly wordsOf: WordsOf;
}

function entriesOf(command: Command, place: Place): readonly CommandEntry[] {
  const { path, wordsOf } = place;
  const help = command.createHelp();
  // Each group has a command `help` of its own; the one at the top is enough.
  const below = help.visibleCommands(command).filter((one) => path === "" || one.name() !== "help");
  const flags = help.visibleOptions(command).map((option) => flagOf(option, place));
  const own = new Set(flags.map(({ long }) => long));
  const all = [...flags, ...place.inherited.filter(({ long }) => !own.has(long))];
  const inherited = path === "" ? [] : all;
  return [
    {
      path,
      description: command.description(),
      flags: all,
      places: command.registeredArguments.map((argument) => placeOf(argument, place)),
      below: below.map((one) => ({ name: one.name(), description: one.description() })),
    },
    ...command.commands.flatMap((one) =>
      entriesOf(one, {
        path: path === "" ? one.name() : `${path} ${one.name()}`,
        inherited,
        wordsOf,
      })
    ),
  ];
}

function flagOf(option: Option, { path, wordsOf }: Place): FlagEntry {
  const { short = null, long = "", description, flags } = option;
  if (!option.required && !option.optional) return { short, long, description, value: null };
  const name = /[<[](.+?)[>\]]/.exec(flags)?.[1] ?? "";
  const words = option.argChoices ?? wordsOf(path, option.name());
  return { short, long, description, value: valuesOf(name, words) };
}

function placeOf(argument: Argument, { path, wordsOf }: Place): Values {
  return valuesOf(argument.name(), argument.argChoices ?? wordsOf(path, argument.name()));
}

function valuesOf(name: string, words: readonly string[] | null | undefined): Values {
  if (words !== null && words !== undefined) return { type: "words", words };
  if (/\bfile\b/.test(name)) return { type: "files" };
  return /\b(folder|source)\b/.test(name) ? { type: "folders" } : { type: "free" };
}
