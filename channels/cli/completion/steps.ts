/**
 * What all three shells need to know of a command line: which words lead to a command, and which
 * take the word after them.
 * @module
 */

import type { CommandEntry, FlagEntry, Values } from "./command_table.ts";

/** The table as shells look things up in it: by the path so far and the next word. */
export interface Steps {
  /** `channels login`, and ` status` for the commands at the top. */
  readonly commands: readonly string[];
  /** `status --config`: the next word is its value. */
  readonly valued: readonly string[];
}

/** Gathers them. */
export function stepsOf(table: readonly CommandEntry[]): Steps {
  return {
    commands: table.flatMap(({ path, below }) => below.map(({ name }) => `${path} ${name}`)),
    valued: table.flatMap(({ path, flags }) =>
      flags.filter(({ value }) => value !== null).flatMap((flag) => spellings(path, flag))
    ),
  };
}

/** A flag's spellings, each after the command's path. */
export function spellings(path: string, { short, long }: FlagEntry): readonly string[] {
  return [long, ...(short === null ? [] : [short])].map((flag) => `${path} ${flag}`);
}

/** Flags by the values that they take, so that a shell has one branch for each kind. */
export function flagsByValue(
  table: readonly CommandEntry[],
): ReadonlyMap<string, { readonly value: Values; readonly flags: readonly string[] }> {
  const found = new Map<string, { value: Values; flags: string[] }>();
  for (const { path, flags } of table) {
    for (const flag of flags) {
      if (flag.value === null) continue;
      const key = JSON.stringify(flag.value);
      const known = found.get(key) ?? { value: flag.value, flags: [] };
      known.flags.push(...spellings(path, flag));
      found.set(key, known);
    }
  }
  return found;
}

/** Text as all three shells read it, between single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A name that can be part of a function's name. */
export function functionName(program: string): string {
  return `_${program.replaceAll(/[^A-Za-z0-9]/g, "_")}`;
}
