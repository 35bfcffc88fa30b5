/**
 * What the keys of sections `api` and `gateway` are for.
 * @module
 */

import type { SettingTexts } from "./setting_text.ts";

/** By the way from the root. */
export const serversTexts: SettingTexts = {
  "api": "The OpenAI-compatible [API](api.md) for programs.",
  "api.enabled": "The gateway serves it besides its chats; the command `serve` does in any case.",
  "api.host": "The address that it listens at; elsewhere than on this machine it needs a key.",
  "api.port": "Its port; 0: any free one.",
  "api.timeout": "Seconds that one request may take.",
  "api.apiKey":
    "The bearer token of requests, best as `${NAME}`. Empty: none is needed on this machine.",
  "api.apiKeys":
    "Further tokens by the names of their holders, who have conversations of their own.",
  "api.allowOrigins": "Pages that may use it from a browser: `https://host`, or `*` for all.",
  "api.maxConcurrentRequests": "Requests under way at once; more are refused.",
  "gateway": "The health endpoint, the heartbeat, and how long the record is kept.",
  "gateway.host": "The address at which `/health` and `/metrics` listen.",
  "gateway.port": "Their port; 0: any free one.",
  "gateway.heartbeat": "The regular look at HEARTBEAT.md ([automation](automation.md)).",
  "gateway.heartbeat.enabled": "Looks at it at all.",
  "gateway.heartbeat.intervalS": "Seconds between two looks.",
  "gateway.heartbeat.keepRecentMessages": "Earlier messages of its own that each look sees.",
  "gateway.heartbeat.target": {
    takes: "`channel:chat` or null",
    text: "Who hears what comes of it. null: the chat where a person last wrote.",
  },
  "gateway.heartbeat.quietHours": {
    takes: "`HH:MM-HH:MM` or null",
    text: "Hours of `agents.defaults.timezone` in which nothing is looked at: `22:00-08:00`.",
  },
  "gateway.retention": "How long the record of what came and went is kept.",
  "gateway.retention.finishedDays": "Days for which finished messages keep their content in it.",
  "gateway.retention.dedupeDays":
    "Days for which a message that a platform brings again is recognised.",
};
