/**
 * `completion`: a script that completes the commands of this program in a shell.
 * @module
 */

import type { Command } from "commander";
import { PROVIDER_KEYS } from "../../../actors/config/schema/providers.ts";
import { toSnake } from "../../../actors/config/spelling.ts";
import { channelEntries } from "../../registry.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { bashScript } from "../completion/bash.ts";
import { type CommandEntry, commandTable } from "../completion/command_table.ts";
import { fishScript } from "../completion/fish.ts";
import { zshScript } from "../completion/zsh.ts";
import { EXIT_DONE, EXIT_NOT_BEGUN } from "../exit_codes.ts";
import { settingKeys } from "../setting_keys.ts";
import { SIGN_IN_PROVIDERS } from "./provider_login.ts";

/** Flags of the command. */
export interface CompletionFlags {
  /** What the program is called. */
  readonly name: string;
}

type Shell = "bash" | "zsh" | "fish";

const SCRIPTS: Readonly<
  Record<Shell, (table: readonly CommandEntry[], program: string) => string>
> = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Prints the script; 2 for a name that no shell takes for one word. */
export function completionCommand(
  shell: Shell,
  { name }: CompletionFlags,
  { program, terminal }: { readonly program: Command; readonly terminal: Terminal },
): number {
  if (!/^[\w.+-]+$/.test(name)) {
    terminal.writeError(`Error: Cannot complete "${name}": give the program's name, one word\n`);
    return EXIT_NOT_BEGUN;
  }
  terminal.write(SCRIPTS[shell](commandTable(program, wordsOf), name));
  return EXIT_DONE;
}

/** What is known of the places of all commands. */
function wordsOf(path: string, name: string): readonly string[] | null {
  switch (name) {
    case "channel":
      return channelEntries.map(({ manifest }) => manifest.name);
    case "provider":
      return path.startsWith("provider ") ? SIGN_IN_PROVIDERS : PROVIDER_KEYS.map(toSnake);
    case "key":
      return path.startsWith("config ") ? settingKeys() : null;
    default:
      return null;
  }
}
