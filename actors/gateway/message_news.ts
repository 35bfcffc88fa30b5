/**
 * What the owner's hooks hear of messages.
 * @module
 */

import type { Inbound, Outbound } from "../journal/journal.ts";
import { cutText } from "../tools/audit/presentable.ts";
import type { MessageInNews, MessageOutNews } from "../tools/hooks/hook_event.ts";

/** Of a message's text, what they hear. */
const TEXT_CHARS_MAX = 20_000;

/** A channel took a message in. */
export function messageIn(inbound: Inbound): MessageInNews {
  const { sessionKey: session, channel, chatId: chat, senderId: sender, platformId: id } = inbound;
  return {
    ...{ event: "message_in", session, channel, chat, sender, id },
    text: cutText(inbound.content, TEXT_CHARS_MAX),
    files: inbound.media.length,
  };
}

/** A message came to its end; null where nothing was to be sent, or the end is not there yet. */
export function messageOut(row: Outbound): MessageOutNews | null {
  const { sessionKey: session, channel, chatId: chat, state, content, media } = row;
  const isBlank = content.trim() === "" && media.length === 0;
  if (isBlank || state === "open" || state === "pending") return null;
  return {
    ...{ event: "message_out", session, channel, chat, outcome: state },
    text: cutText(content, TEXT_CHARS_MAX),
    files: media.length,
  };
}
