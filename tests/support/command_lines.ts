/**
 * Command lines as examples show them, held against the program's own table.
 * @module
 */

import {
  type CommandEntry,
  commandTable,
  isGroup,
} from "../../channels/cli/completion/command_table.ts";
import { makeProgram } from "../../channels/cli/main.ts";

/** The program, what it says, and its commands that do something. */
export function openProgram(): {
  readonly program: ReturnType<typeof makeProgram>;
  readonly commands: readonly CommandEntry[];
  /** All that it wrote so far. */
  readonly said: () => string;
} {
  let said = "";
  const write = (text: string) => void (said += text);
  const terminal = { write, writeError: write, isInteractive: false, hasColors: false };
  const program = makeProgram(terminal, () => {});
  const commands = commandTable(program, () => null).filter((entry) =>
    entry.path !== "" && !isGroup(entry)
  );
  return { program, commands, said: () => said };
}

/** What the program does not take of an example; null when it takes all. */
export function misreadIn(example: string): string | null {
  const [line = ""] = example.split(/ {2,}| [|>]/); // a remark, or where the output goes
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)]
    .map(([, single, double, bare]) => single ?? double ?? bare ?? "");
  let command = openProgram().program;
  while (words.length > 0) {
    const below = command.commands.find((one) => one.name() === words[0]);
    if (below === undefined) break;
    command = below;
    words.shift();
  }
  const { operands, unknown } = command.parseOptions(words);
  const needed = command.registeredArguments.filter(({ required }) => required).length;
  if (unknown.length > 0) return `unknown: ${unknown.join(" ")}`;
  const isWhole = operands.length >= needed &&
    (operands.length === 0 || command.registeredArguments.length > 0);
  return isWhole ? null : `${operands.length} operands`;
}
