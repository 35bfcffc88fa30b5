/**
 * Looks in the channel for a message whose sending had no clear end, when its key no longer tells.
 * @module
 */

import { basename } from "node:path";
import { type DiscordApi, PAGE_MAX } from "../api.ts";
import { idAtTime } from "../ids.ts";
import { type Message, messageSchema } from "../wire.ts";

/** Clocks differ, and a message may have been on its way for a while. */
const SLACK_MS = 120_000;
/** A channel that said more in the meantime is not searched to its end. */
const PAGES_MAX = 20;
/** An answer that grows may have been sent when only its beginning was there. */
const ALIKE_CHARS = 60;

/** What is looked for. */
export interface Wanted {
  readonly channelId: string;
  readonly botId: string;
  readonly attemptMs: number;
  /** Messages that are known to be something else. */
  readonly others: readonly string[];
  /** What it says, or the path of what it carries. */
  readonly contents: { readonly text: string } | { readonly path: string };
}

/** A message that is there. */
export interface Found {
  readonly id: string;
  readonly content: string;
}

/** The message; `absent` when it surely is not there. */
export async function lookUpMessage(
  api: Pick<DiscordApi, "messages">,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Found | "absent" | "cannot_tell"> {
  let afterId = idAtTime(wanted.attemptMs - SLACK_MS);
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const listed = await api.messages(wanted.channelId, { afterId }, signal);
    for (const { id, raw } of listed) {
      afterId = id;
      const message = messageSchema.safeParse(raw).data;
      if (message !== undefined && isWanted(message, wanted)) {
        return { id, content: message.content };
      }
    }
    if (listed.length < PAGE_MAX) return "absent";
  }
  return "cannot_tell";
}

function isWanted(message: Message, { botId, others, contents }: Wanted): boolean {
  if (message.author.id !== botId || others.includes(message.id)) return false;
  if ("path" in contents) {
    const name = basename(contents.path).replace(/[^\p{L}\p{N}]/gu, "");
    return message.attachments.some(({ filename }) =>
      filename.replace(/[^\p{L}\p{N}]/gu, "") === name
    );
  }
  const shown = message.content.trim();
  const sent = contents.text.trim();
  const length = Math.min(shown.length, sent.length, ALIKE_CHARS);
  return length > 0 && shown.slice(0, length) === sent.slice(0, length);
}
