/**
 * What the keys of the Slack section are for.
 * @module
 */

import type { SettingTexts } from "../../actors/config/descriptions/setting_text.ts";

/** By key of the section. */
export const texts: SettingTexts = {
  enabled: "Starts the channel.",
  allowFrom: 'User ids (`U…`) of those who may write, or `"*"` for everyone.',
  botToken: "The bot's token, `xoxb-…`. Needed.",
  appToken: "The app's token, `xapp-…`, with the scope `connections:write`. Needed.",
  mode: "How events come: over a socket that the bot opens; there is no other way.",
  webhookPath: "Unused, for older files: a socket has no path.",
  userTokenReadOnly: "Unused, for older files: nothing is done with a user's token.",
  replyInThread: "Answers to channel messages go into a thread below them.",
  reactEmoji:
    'Reaction put on a message that was accepted, a name without colons. null or `""`: none.',
  doneEmoji: 'Reaction put on it when the answer is done. null or `""`: none.',
  queuedEmoji:
    'Reaction instead of `reactEmoji` while a message waits for its turn. null or `""`: as `reactEmoji`.',
  groupPolicy:
    "In channels, answers those who mention the bot, everyone, or everyone in the listed channels.",
  groupAllowFrom: "Ids of channels (`C…`) for `allowlist`.",
  dm: "What counts in direct messages, beside `allowFrom`.",
  "dm.enabled": "Takes direct messages.",
  "dm.policy":
    "Whom it takes them from: all of `allowFrom`, or those of `dm.allowFrom` among them.",
  "dm.allowFrom": "User ids for `allowlist`.",
  streaming: "Answers grow while they are written; otherwise they come whole.",
  apiUrl: { takes: "address", text: "Base of the Web API." },
};
