/**
 * What the keys of the Telegram section are for.
 * @module
 */

import type { SettingTexts } from "../../actors/config/descriptions/setting_text.ts";

/** By key of the section. */
export const texts: SettingTexts = {
  enabled: "Starts the channel.",
  allowFrom:
    'Numeric user ids of those who may write, or `"*"` for everyone; user names work as well.',
  token: "The bot's token, from @BotFather. Needed.",
  proxy: {
    takes: "address or null",
    text: "An HTTP or SOCKS proxy for everything: `socks5://127.0.0.1:1080`.",
  },
  replyToMessage: "The first message of an answer quotes its question.",
  reactEmoji:
    'Reaction put on a message that was accepted, taken away when it is answered. null or `""`: none.',
  doneEmoji: 'Reaction put on it when the answer is done, such as `👌`. null or `""`: none.',
  queuedEmoji:
    'Reaction instead of `reactEmoji` while a message waits for its turn, such as `😴`. null or `""`: as `reactEmoji`.',
  groupPolicy: "In groups, answers what speaks to the bot, or every message.",
  streaming: "Answers grow in a message that is edited; otherwise they come whole.",
  streamEditInterval: "Seconds between two changes of a growing message; in groups at least 5.",
  toolHintPrefix: "Stands before each running tool below a growing answer.",
  apiRoot: { takes: "address", text: "The Bot API, for a server of your own." },
};
