/**
 * What the keys of the Discord section are for.
 * @module
 */

import type { SettingTexts } from "../../actors/config/descriptions/setting_text.ts";

/** By key of the section. */
export const texts: SettingTexts = {
  enabled: "Starts the channel.",
  allowFrom: 'User ids of those who may write, or `"*"` for everyone.',
  token: "The bot's token, from the developer portal. Needed.",
  allowChannels:
    "Ids of channels that count, with their threads; direct messages count by it too. Empty: all.",
  groupPolicy: "In servers, answers what mentions the bot or replies to it, or every message.",
  intents:
    "What Discord tells of, as a sum of its bits: servers, messages there, direct messages, what they say.",
  readReceiptEmoji:
    'Reaction put on a message that was accepted; a server\'s own is written `name:id`. null or `""`: none.',
  workingEmoji: 'Reaction put on it besides when the answer takes time. null or `""`: none.',
  workingEmojiDelay: "Seconds until then.",
  queuedEmoji:
    'Reaction instead of `readReceiptEmoji` while a message waits for its turn. null or `""`: as `readReceiptEmoji`.',
  streaming: "Answers grow in a message that is edited; otherwise they come whole.",
  toolHintPrefix: "Stands before each running tool below a growing answer.",
  threadIsolation: "Each thread is a conversation of its own.",
  replyToMessage: "The first message of an answer quotes its question, without a ping.",
  proxy: { takes: "address or null", text: "An HTTP proxy for everything." },
  proxyUsername: "Name at the proxy; used where the password is there too.",
  proxyPassword: "Password at the proxy; used where the name is there too.",
  apiBase: { takes: "address", text: "Base of the API, without its version." },
};
