/**
 * What the keys that all channels share are for. Each channel has its own table, in its folder.
 * @module
 */

import type { SettingTexts } from "./setting_text.ts";

/** By the way from the root. */
export const channelsTexts: SettingTexts = {
  "channels": "The chats that the assistant is reached by, and what all of them share.",
  "channels.sendProgress":
    "Shows what the assistant says before its answer, and how far tools have come. E-mail and QQ, where each message is dear, get answers only.",
  "channels.sendToolHints": "Shows which tools run.",
  "channels.sendMaxRetries":
    "Attempts of the first round of delivery, the first one included; 0 makes one too. Later rounds follow for 24 hours.",
  "channels.mediaDays":
    "Days after which files that were sent to the assistant are removed; 0 keeps them.",
  "channels.mediaMegabytes":
    "Megabytes of such files beyond which the oldest go, but none of the last day; 0: no bound.",
  "channels.transcriptionProvider":
    "Who turns voice into text: `groq`, `openai`, or any name of `providers` whose server has `/audio/transcriptions`.",
  "channels.transcriptionModel":
    "The model that is asked for it. null: `whisper-large-v3` of groq, `whisper-1` of all others.",
};

/** The two keys that every channel's section has. */
export const sectionTexts: SettingTexts = {
  "channels.<name>.enabled": "Starts the channel.",
  "channels.<name>.allowFrom":
    'Ids of those who may write, or `"*"` for everyone; empty lets nobody in.',
};
