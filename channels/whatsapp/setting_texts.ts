/**
 * What the keys of the WhatsApp section are for.
 * @module
 */

import type { SettingTexts } from "../../actors/config/descriptions/setting_text.ts";

/** By key of the section. */
export const texts: SettingTexts = {
  enabled: "Starts the channel, once a device is linked.",
  allowFrom: 'Phone numbers in any spelling, ids that end in `@lid`, or `"*"` for everyone.',
  groupPolicy: "In groups, answers every message, or what speaks to the bot.",
  replyToMessage: "The first message of an answer quotes its question.",
  reactEmoji:
    'Reaction put on a message that was accepted, taken away when it is answered. null or `""`: none.',
  doneEmoji: 'Reaction put on it when the answer is done. null or `""`: none.',
  queuedEmoji:
    'Reaction instead of `reactEmoji` while a message waits for its turn. null or `""`: as `reactEmoji`.',
  markRead: "Messages that were taken show as read.",
  serverUrl: { takes: "address", text: "Where WhatsApp's socket is." },
  bridgeUrl: "Unused, for files of nanobot; a warning says so.",
  bridgeToken: "Unused, for files of nanobot; a warning says so.",
};
