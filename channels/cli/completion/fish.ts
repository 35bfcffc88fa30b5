/**
 * Completion for fish.
 * @module
 */

import type { CommandEntry, FlagEntry, Values } from "./command_table.ts";
import { functionName, stepsOf } from "./steps.ts";

/** The script. @param program what people type to run this program */
export function fishScript(table: readonly CommandEntry[], program: string): string {
  const at = `_${functionName(program)}_at`;
  const { commands, valued } = stepsOf(table);
  return `# Completion of ${program} for fish: ${program} completion fish | source
function ${at} --description 'Whether the command line stands at a command, and at a place of it'
    set -l path
    set -l count 0
    set -l skips 0
    for word in (commandline -opc)[2..]
        if test $skips = 1
            set skips 0
            continue
        end
        switch "$path $word"
            case ${words(commands)}
                set path (string trim -- "$path $word")
                set count 0
            case ${words(valued)}
                set skips 1
            case '* -*'
            case '*'
                set count (math $count + 1)
        end
    end
    test "$path" = "$argv[1]"; or return 1
    test (count $argv) = 1; or test $count = $argv[2]
end
complete -c ${program} -f
${table.flatMap((entry) => linesOf(entry, { program, at })).join("\n")}
`;
}

interface Names {
  readonly program: string;
  readonly at: string;
}

function linesOf({ path, below, flags, places }: CommandEntry, names: Names): readonly string[] {
  const { program, at } = names;
  const when = (place?: number) =>
    `-n ${quoted(`${at} ${quoted(path)}${place === undefined ? "" : ` ${place}`}`)}`;
  const first = below.length === 0 ? 0 : 1;
  return [
    ...below.map(({ name, description }) =>
      `complete -c ${program} ${when(0)} -a ${name} -d ${quoted(description)}`
    ),
    ...flags.map((flag) => `complete -c ${program} ${when()} ${flagText(flag)}`),
    ...places.flatMap((values, index) => {
      const what = valuesText(values);
      return what === "" ? [] : [`complete -c ${program} ${when(index + first)} ${what}`];
    }),
  ];
}

function flagText({ short, long, description, value }: FlagEntry): string {
  return [
    ...(short === null ? [] : [`-s ${short.slice(1)}`]),
    `-l ${long.slice(2)}`,
    // Files are offered where files are meant, and nowhere else.
    ...(value === null ? [] : [value.type === "files" ? "-r" : "-x", valuesText(value)]),
    `-d ${quoted(description)}`,
  ].filter((part) => part !== "").join(" ");
}

function valuesText(values: Values): string {
  switch (values.type) {
    case "words":
      return `-a ${quoted(values.words.join(" "))}`;
    case "files":
      return "-F";
    case "folders":
      return "-a '(__fish_complete_directories)'";
    case "free":
      return "";
  }
}

function words(all: readonly string[]): string {
  return all.map(quoted).join(" ");
}

/** In fish a backslash means something between single quotes, too. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
