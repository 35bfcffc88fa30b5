/**
 * What is kept of a chat, so that clients that were away can be given what they missed.
 * @module
 */

import { z } from "zod";
import type { Choice } from "../../channel.ts";
import type { SettledOut } from "../wire.ts";

/** A file that the assistant sends; clients are told its name, never its path. */
export interface KeptFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  /** The address by which the text shows it; null when it does not. */
  readonly shownAs: string | null;
}

/** What an entry says. */
export interface EntryContents {
  /**
   * `message`: a message, or the end of one that grew; `update`: a message that is there looks
   * different now; `settled`: only how messages of clients ended.
   */
  readonly kind: "message" | "update" | "settled";
  /** The key of the delivery. */
  readonly key: string;
  /** Of the message that this is, or changes. */
  readonly messageId: string;
  readonly text: string;
  readonly isPlain: boolean;
  readonly media: readonly KeptFile[];
  readonly choices: readonly Choice[];
  readonly replyTo: string | null;
  readonly settles: readonly SettledOut[];
}

/** One thing that happened in a chat, by its number there. */
export interface Entry extends EntryContents {
  /** From 1, rising. */
  readonly seq: number;
}

/** An entry as it is kept. */
export const entrySchema: z.ZodType<Entry> = z.object({
  seq: z.int().min(1),
  kind: z.enum(["message", "update", "settled"]),
  key: z.string(),
  messageId: z.string(),
  text: z.string(),
  isPlain: z.boolean(),
  media: z.array(z.object({
    path: z.string(),
    name: z.string(),
    bytes: z.number(),
    shownAs: z.string().nullable(),
  })),
  choices: z.array(z.object({ label: z.string(), says: z.string() })),
  replyTo: z.string().nullable(),
  settles: z.array(z.object({
    client_msg_id: z.string(),
    client_id: z.string(),
    outcome: z.enum(["done", "failed", "stopped"]),
  })),
});

/** About how much memory an entry takes, in bytes. */
export function weightOf({ text, media, choices }: EntryContents): number {
  const choiceUnits = choices.reduce((sum, { says }) => sum + says.length, 0);
  return 2 * (text.length + choiceUnits) + 500 * (media.length + 1);
}
