/**
 * Chats and conversations by OpenClaw's names, and by ours.
 * @module
 */

/** Where an answer goes. */
export interface ChatPlace {
  readonly channel: string;
  readonly chatId: string;
}

/** Words that say what kind of chat follows. */
const KINDS = new Set(["dm", "direct", "group", "channel", "room"]);
/** Conversations that end with what they were made for. */
const PASSING = new Set(["cron", "hook", "subagent", "node", "acp", "heartbeat"]);

/** What a key of `sessions.json` stands for. */
export type SessionPlace =
  | { readonly kind: "chat"; readonly key: string }
  /** The one conversation of all direct chats: where it was last held decides. */
  | { readonly kind: "main" }
  | { readonly kind: "passing" }
  | { readonly kind: "other_agent" };

/** Reads a key such as `agent:main:telegram:group:-100:topic:7`. */
export function placeOfKey(key: string, agentId: string): SessionPlace {
  const parts = key.split(":");
  const isOwned = parts[0] === "agent" && parts.length > 2;
  if (isOwned && parts[1] !== agentId) return { kind: "other_agent" };
  const [channel = "", ...rest] = isOwned ? parts.slice(2) : parts;
  if (PASSING.has(channel)) return { kind: "passing" };
  const kindAt = rest.findIndex((part) => KINDS.has(part));
  // Of a direct chat without a channel only the last way out tells where it is.
  if (rest.length === 0 || kindAt === -1) return { kind: "main" };
  const [chatId = "", ...thread] = rest.slice(kindAt + 1);
  if (chatId === "") return { kind: "main" };
  const place = chatPlace(channel, chatId);
  const end = thread.length === 0 ? "" : `:${thread.join(":")}`;
  return { kind: "chat", key: `${place.channel}:${place.chatId}${end}` };
}

/** The chat of a target such as `channel:C123`, `telegram:group:-100` or `+15551234567`. */
export function chatPlace(channel: string, target: string): ChatPlace {
  const bare = target.trim()
    .replace(/^(?:telegram|tg|discord|slack|whatsapp|feishu|lark):/i, "")
    .replace(/^(?:group|channel|user|dm|direct|chat|room):/i, "");
  if (channel === "whatsapp" && /^\+?\d+$/.test(bare)) {
    return { channel, chatId: `${bare.replace("+", "")}@s.whatsapp.net` };
  }
  // OpenClaw writes its keys in small letters; Slack's ids are capitals.
  return { channel, chatId: channel === "slack" ? bare.toUpperCase() : bare };
}

/** A sender as a list of those who may write names one. */
export function senderOf(entry: string): string {
  return entry.trim().replace(/^(?:telegram|tg|discord|slack|whatsapp|feishu|lark|user):/i, "");
}
