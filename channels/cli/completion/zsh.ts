/**
 * Completion for zsh.
 * @module
 */

import type { CommandEntry, Values } from "./command_table.ts";
import { flagsByValue, functionName, quoted, stepsOf } from "./steps.ts";

/** The script. @param program what people type to run this program */
export function zshScript(table: readonly CommandEntry[], program: string): string {
  const name = functionName(program);
  const { commands, valued } = stepsOf(table);
  return `#compdef ${program}
# Completion of ${program} for zsh: source <(${program} completion zsh)
${name}() {
  local cur="\${words[CURRENT]}" prev="\${words[CURRENT-1]}" at_path='' word='' at count=0
  local -a found
  for ((at = 2; at < CURRENT; at++)); do
    word="\${words[at]}"
    case "$at_path $word" in
      (${patterns(commands)}) at_path="\${at_path:+$at_path }$word"; count=0 ;;
      (${patterns(valued)}) ((at++)) ;;
      (*' -'*) ;;
      (*) ((count++)) ;;
    esac
  done
  case "$at_path $prev" in
${
    [...flagsByValue(table).values()]
      .map(({ value, flags }) => `    (${patterns(flags)}) ${action(value)} ;;`).join("\n")
  }
    (*)
      if [[ "$cur" == -* ]]; then
        case "$at_path" in
${table.map(flagBranch).join("\n")}
        esac
      else
        case "$at_path $count" in
${table.flatMap(placeBranches).join("\n")}
        esac
      fi ;;
  esac
  _describe ${quoted(program)} found
}
if [[ "\${funcstack[1]}" == ${
    quoted(name)
  } ]]; then ${name} "$@"; else compdef ${name} ${program}; fi
`;
}

function flagBranch({ path, flags }: CommandEntry): string {
  const described = flags.map(({ long, description }) => item(long, description)).join(" ");
  return `          (${quoted(path)}) found=(${described}) ;;`;
}

function placeBranches({ path, below, places }: CommandEntry): readonly string[] {
  const names = below.map(({ name, description }) => item(name, description)).join(" ");
  const first = names === "" ? [] : [`found=(${names})`];
  return [...first, ...places.map(action)].map((what, index) =>
    `          (${quoted(`${path} ${index}`)}) ${what} ;;`
  );
}

function action(values: Values): string {
  switch (values.type) {
    case "words":
      return `found=(${values.words.map((word) => quoted(word.replaceAll(":", "\\:"))).join(" ")})`;
    case "files":
      return "_files; return";
    case "folders":
      return "_files -/; return";
    case "free":
      return "return";
  }
}

/** A word and what it means, as `_describe` takes it. */
function item(word: string, description: string): string {
  return quoted(`${word.replaceAll(":", "\\:")}:${description}`);
}

function patterns(words: readonly string[]): string {
  return words.map(quoted).join("|");
}
