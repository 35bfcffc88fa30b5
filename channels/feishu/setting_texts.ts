/**
 * What the keys of the Feishu section are for.
 * @module
 */

import type { SettingTexts } from "../../actors/config/descriptions/setting_text.ts";

/** Of one bot. */
const bot: SettingTexts = {
  enabled: "Starts the channel.",
  allowFrom: 'Open ids (`ou_…`) of those who may write, or `"*"` for everyone.',
  appId: "The App ID from the developer console: `cli_` and 16 hex digits. Needed.",
  appSecret: "The App Secret from the developer console. Needed.",
  encryptKey: "The Encrypt Key, only with encryption switched on at the console.",
  verificationToken: "The Verification Token, only with encryption switched on at the console.",
  groupPolicy: "In groups, answers what mentions the bot or `@all`, or every message.",
  reactEmoji:
    'Reaction put on a message that was accepted, taken away when it is answered. null or `""`: none.',
  doneEmoji:
    'Reaction put on it when the answer is done, such as `OK` or `DONE`. null or `""`: none.',
  queuedEmoji:
    'Reaction instead of `reactEmoji` while a message waits for its turn, such as `OneSecond`. null or `""`: as `reactEmoji`.',
  toolHintPrefix: "Stands before each running tool in a growing card.",
  showReasoning: "What the model thinks stands folded before the answer in a growing card.",
  topicIsolation: "Each topic of a group is a conversation of its own.",
  replyToMessage: "The first message of an answer quotes its question.",
  streaming: "Answers grow in a card; otherwise they come whole.",
  domain: {
    takes: "`feishu`, `lark` or a base address",
    text: "Which platform: Feishu, Lark, or a server of your own.",
  },
};

/** By key of the section. Further bots take the same keys. */
export const texts: SettingTexts = {
  ...bot,
  instances: {
    takes: "list of objects",
    text:
      "Further bots, each with an `id`, an app of its own and any of the keys above; what it leaves out, the app aside, is as for all.",
  },
  "instances[]": "A further bot.",
  "instances[].id": "Its name in sessions and logs, `feishu.<id>`: letters, digits, `_` and `-`.",
  "instances[].name": "Its name for people.",
  ...Object.fromEntries(
    Object.entries(bot).map(([key, text]) => [`instances[].${key}`, text]),
  ),
};
