/**
 * A received message as the gateway takes it in: its ids, its conversation, and whether it is a
 * command.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { ChannelCommand, ChannelInbound } from "../../channel.ts";
import type { SentMessage } from "../link.ts";
import type { TelegramMessage } from "../wire.ts";
import { type BotName, withoutLeadingHandle, wordsOf } from "./addressing.ts";
import { fileOf } from "./parts.ts";

const COMMAND = /^\/([A-Za-z][\w-]*)(?:@\w+)?(?=\s|$)([^]*)$/;
/** What Telegram's own button sends to a bot that is new to somebody. */
const START = "start";

/**
 * The id of a message for the journal. Telegram counts messages by chat, and those of a direct chat
 * by bot: another bot begins anew.
 */
export function platformIdOf({ chat, message_id: id }: TelegramMessage, bot: BotName): string {
  return `${bot.id}:${chat.id}:${id}`;
}

/** The message behind an id that {@link platformIdOf} made for this bot; null for others. */
export function messageOf(platformId: string, bot: BotName): SentMessage | null {
  const [, botId, chatId = "", messageId] = /^(\d+):(-?\d+):(\d+)$/.exec(platformId) ?? [];
  return botId === String(bot.id) ? { chatId, messageId: Number(messageId) } : null;
}

/** The message as the gateway takes it in, but for its text and media. */
export function inboundOf(
  message: TelegramMessage,
  { bot, channel }: { readonly bot: BotName; readonly channel: string },
): Omit<ChannelInbound, "content" | "media"> {
  const { chat, from } = message;
  const threadId = topicOf(message);
  return {
    platformId: platformIdOf(message, bot),
    chatId: String(chat.id),
    senderId: String(from?.id ?? ""),
    context: contextOf(message, threadId),
    ...(threadId !== null && { sessionKey: `${channel}:${chat.id}:topic:${threadId}` }),
  };
}

/**
 * The topic that a message stands in. In ordinary groups answers carry a thread as well, which is no
 * topic; in direct chats every thread is one.
 */
function topicOf(message: TelegramMessage): number | null {
  const { message_thread_id: threadId, is_topic_message: isTopic, chat } = message;
  if (threadId === undefined) return null;
  return isTopic === true || chat.type === "private" ? threadId : null;
}

/** What is needed to answer in the right place. */
function contextOf(message: TelegramMessage, threadId: number | null): JsonObject {
  const { message_id: id, from, chat, reply_to_message: answered } = message;
  return {
    message_id: id,
    user_id: from?.id ?? 0,
    first_name: from?.first_name ?? "",
    ...(from?.username !== undefined && { username: from.username }),
    is_group: chat.type !== "private",
    is_forum: chat.is_forum === true,
    ...(threadId !== null && { message_thread_id: threadId }),
    ...(answered !== undefined && { reply_to_message_id: answered.message_id }),
  };
}

/**
 * The command that a message is, bare; null when it is none. Menus know no hyphens: what is written
 * with underscores is the command that has them.
 */
export function commandIn(
  message: TelegramMessage,
  { bot, commands }: { readonly bot: BotName; readonly commands: readonly ChannelCommand[] },
): string | null {
  if (fileOf(message) !== null) return null;
  const [, word, rest = ""] = COMMAND.exec(
    withoutLeadingHandle(wordsOf(message).text.trim(), bot),
  ) ?? [];
  if (word === undefined) return null;
  if (word.toLowerCase() === START) return "/help";
  const hyphened = word.toLowerCase().replaceAll("_", "-");
  const name = commands.some((command) => command.name === hyphened) ? hyphened : word;
  return `/${name}${rest}`.trim();
}
