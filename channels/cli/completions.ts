/**
 * What a tab makes of a half-typed command.
 * @module
 */

import type { ChannelCommand } from "../channel.ts";

/** Words that end the conversation, besides the commands. */
const OWN = ["/exit", "/quit"];

/** The commands that `line` is the beginning of; a blank waits where an argument may follow. */
export function completions(line: string, commands: readonly ChannelCommand[]): string[] {
  if (!line.startsWith("/")) return [];
  const words = commands.map(({ name, argument }) => argument === null ? `/${name}` : `/${name} `);
  return [...words, ...OWN].filter((word) => word.startsWith(line.toLowerCase()));
}
