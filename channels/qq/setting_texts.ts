/**
 * What the keys of the QQ section are for.
 * @module
 */

import type { SettingTexts } from "../../actors/config/descriptions/setting_text.ts";

/** By key of the section. */
export const texts: SettingTexts = {
  enabled: "Starts the channel.",
  allowFrom: 'Openids of those who may write, or `"*"` for everyone.',
  appId: "The bot's AppID, from q.qq.com. Needed.",
  secret: "Its AppSecret. Needed.",
  msgFormat: "How answers are written: as plain text, or in QQ's Markdown.",
  ackMessage:
    "Said as soon as a message was accepted; it counts as one of its few answers. Empty: nothing.",
  downloadMaxBytes: "Bytes of the largest file of a message that is kept.",
  apiBase: { takes: "address", text: "Base of the platform's API; its sandbox has another one." },
  authBase: { takes: "address", text: "Base of the server that lends tokens." },
};
