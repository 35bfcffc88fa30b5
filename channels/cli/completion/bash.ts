/**
 * Completion for bash, from version 3.2 on (the one of macOS).
 * @module
 */

import type { CommandEntry, Values } from "./command_table.ts";
import { flagsByValue, functionName, quoted, stepsOf } from "./steps.ts";

/** The script. @param program what people type to run this program */
export function bashScript(table: readonly CommandEntry[], program: string): string {
  const name = functionName(program);
  const { commands, valued } = stepsOf(table);
  return `# Completion of ${program} for bash: eval "$(${program} completion bash)"
${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local path='' word='' words='' at count=0 IFS=$' \\t\\n'
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    case "$path $word" in
      ${patterns(commands)}) path="\${path:+$path }$word"; count=0 ;;
      ${patterns(valued)}) ((at++)) ;;
      *' -'*) ;;
      *) ((count++)) ;;
    esac
  done
  case "$path $prev" in
${branches([...flagsByValue(table).values()].map(({ value, flags }) => [flags, value]), name)}
    *)
      if [[ $cur == -* ]]; then
        case "$path" in
${flagBranches(table)}
        esac
      else
        case "$path $count" in
${branches(placeBranches(table), name, "      ")}
        esac
      fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
${name}_paths() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$2"))
}
complete -F ${name} ${program}
`;
}

/** What completes which places: the commands below a path, and arguments. */
function placeBranches(table: readonly CommandEntry[]): readonly (readonly [string[], Values])[] {
  return table.flatMap(({ path, below, places }) => {
    const names = below.map(({ name }) => name);
    const first: readonly Values[] = names.length === 0 ? [] : [{ type: "words", words: names }];
    return [...first, ...places].map((values, index): readonly [string[], Values] => [
      [`${path} ${index}`],
      values,
    ]);
  });
}

function branches(
  all: readonly (readonly [readonly string[], Values])[],
  name: string,
  indent: string = "",
): string {
  return all.map(([places, values]) =>
    `${indent}    ${patterns(places)}) ${action(values, name)} ;;`
  )
    .join("\n");
}

function action(values: Values, name: string): string {
  switch (values.type) {
    case "words":
      return `words=${quoted(values.words.join(" "))}`;
    case "files":
      return `${name}_paths -f "$cur"; return`;
    case "folders":
      return `${name}_paths -d "$cur"; return`;
    case "free":
      return "return";
  }
}

function flagBranches(table: readonly CommandEntry[]): string {
  return table.map(({ path, flags }) =>
    `          ${quoted(path)}) words=${quoted(flags.map(({ long }) => long).join(" "))} ;;`
  ).join("\n");
}

function patterns(words: readonly string[]): string {
  return words.map(quoted).join("|");
}
