/**
 * Whom a message speaks to.
 * @module
 */

import type { BareMessage, BotInfo, TelegramMessage, TextEntity } from "../wire.ts";

/** What names a bot. */
export type BotName = Pick<BotInfo, "id" | "username">;

/** Text or caption, with what is marked in it. */
export function wordsOf(
  message: BareMessage,
): { readonly text: string; readonly entities: readonly TextEntity[] } {
  const { text, caption, entities, caption_entities: captionEntities } = message;
  return { text: text ?? caption ?? "", entities: entities ?? captionEntities ?? [] };
}

/** Does the message speak to the bot: by its name, by a command with it, or as an answer to it? */
export function isAddressed(message: TelegramMessage, bot: BotName): boolean {
  const { text, entities } = wordsOf(message);
  if (entities.some(({ type, user }) => type === "text_mention" && user?.id === bot.id)) {
    return true;
  }
  if (handlePattern(bot).test(text)) return true;
  const { reply_to_message: answered } = message;
  // In a topic, what answers nothing seems to answer the message that opened it.
  return answered?.from?.id === bot.id && answered.forum_topic_created === undefined;
}

/** A command that names another bot. */
export function isForAnotherBot(message: BareMessage, bot: BotName): boolean {
  const named = /^\/\w+@(\w+)/.exec(wordsOf(message).text)?.[1];
  return named !== undefined && named.toLowerCase() !== bot.username.toLowerCase();
}

/** The text without the bot's name at its start. */
export function withoutLeadingHandle(text: string, bot: BotName): string {
  const handle = new RegExp(`^(?:\\s*@${bot.username}(?!\\w)[,:]?)+\\s*`, "i");
  return text.replace(handle, "");
}

/** The bot's name as a word of its own; a longer name is another bot's. */
function handlePattern({ username }: BotName): RegExp {
  return new RegExp(`(?<!\\w)@${username}(?!\\w)|^/\\w+@${username}(?!\\w)`, "i");
}
