/**
 * What the keys of the DingTalk section are for.
 * @module
 */

import type { SettingTexts } from "../../actors/config/descriptions/setting_text.ts";

/** By key of the section. */
export const texts: SettingTexts = {
  enabled: "Starts the channel.",
  allowFrom: 'Staff ids of those who may write, or `"*"` for everyone.',
  clientId: "The app's Client ID (AppKey), from the developer console. Needed.",
  clientSecret: "The app's Client Secret. Needed.",
  robotCode: "Code of the robot, where DingTalk gave it another than the Client ID.",
  groupPolicy: "In groups, answers what mentions the robot, or everything that DingTalk brings.",
  groupUserIsolation: "In groups everybody has a conversation of their own.",
  reactEmoji:
    'Reaction put on a message that was accepted, any short words, taken away when it is answered. null or `""`: none.',
  doneEmoji: 'Reaction put on it when the answer is done, such as `🥳Done`. null or `""`: none.',
  queuedEmoji:
    'Reaction instead of `reactEmoji` while a message waits for its turn. null or `""`: as `reactEmoji`.',
  apiBase: { takes: "address", text: "Base of the platform's API." },
  oapiBase: { takes: "address", text: "Base of the older API, which takes files." },
};
