/**
 * What the gateway knows about the Discord channel without loading it: no import at run time.
 * @module
 */

import type { z } from "zod";
import type { ChannelManifest, ChannelSection } from "../manifest.ts";

/** `channels.discord` of the config. */
export interface DiscordSection extends ChannelSection {
  /** Of the bot, from the developer portal. */
  readonly token: string;
  /** Ids of channels that count, with their threads; empty: all, direct messages included. */
  readonly allowChannels: readonly string[];
  /** Which server messages are for the bot: those that mention it, or all. */
  readonly groupPolicy: "mention" | "open";
  /** What the platform tells of, as a sum of its bits. */
  readonly intents: number;
  /** Reaction on receipt; null for none. */
  readonly readReceiptEmoji: string | null;
  /** Reaction while the message is worked on, after the delay; null for none. */
  readonly workingEmoji: string | null;
  /** Seconds. */
  readonly workingEmojiDelay: number;
  /** Instead of the one on receipt while a message waits for its turn; null for none. */
  readonly queuedEmoji: string | null;
  /** Stands before each running tool in a growing answer. */
  readonly toolHintPrefix: string;
  /** The first part of an answer quotes the message it answers. */
  readonly replyToMessage: boolean;
  /** Each thread is a conversation of its own. */
  readonly threadIsolation: boolean;
  /** Answers grow in a message that is edited; otherwise they come whole. */
  readonly streaming: boolean;
  /** Address of an HTTP proxy for everything; null for none. */
  readonly proxy: string | null;
  readonly proxyUsername: string | null;
  readonly proxyPassword: string | null;
  /** Base URL of the platform's API, without its version. */
  readonly apiBase: string;
}

/** Where the platform is for everybody. */
export const PUBLIC_API_BASE = "https://discord.com/api";

/** Guilds, messages in them and in direct chats, and what the messages say. */
const DEFAULT_INTENTS = 1 + 512 + 4_096 + 32_768;

/** A bot token: its id, a time and a signature, each in base64url. */
const TOKEN_PATTERN = /^[\w-]{8,}\.[\w-]{4,}\.[\w-]{16,}$/;

/** The WebSocket's host varies; files lie on the two last ones. */
const PUBLIC_HOSTS = [
  "discord.com:443",
  "*.discord.gg:443",
  "cdn.discordapp.com:443",
  "media.discordapp.net:443",
];

function hostsOf({ apiBase, proxy }: DiscordSection): readonly string[] {
  const hosts = apiBase === PUBLIC_API_BASE ? PUBLIC_HOSTS : [hostOf(apiBase)];
  return proxy === null ? hosts : [...hosts, hostOf(proxy)];
}

function hostOf(address: string): string {
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

function missingIn({ token }: DiscordSection): readonly string[] {
  if (token === "") {
    return ["channels.discord.token is missing: copy the bot's token from the developer portal"];
  }
  if (TOKEN_PATTERN.test(token)) return [];
  return [
    "channels.discord.token is no bot token: it has three parts with dots between; " +
    "copy it again from the developer portal, page Bot",
  ];
}

function schemaOf(zod: typeof z): z.ZodType<DiscordSection> {
  const emoji = zod.string().nullable();
  const emojiOf = (value: string | null) => value?.trim() || null;
  const text = zod.string().nullable().default(null).transform((value) => value || null);
  const address = (what: string) =>
    zod.string().refine(isHttpAddress, { message: `must be ${what} that begins with http` });
  return zod.object({
    enabled: zod.boolean().default(false),
    allowFrom: zod.array(zod.string()).default([]),
    token: zod.string().trim().default("").transform((value) => value.replace(/^Bot\s+/i, "")),
    allowChannels: zod.array(zod.string()).default([]),
    groupPolicy: zod.enum(["mention", "open"]).default("mention"),
    intents: zod.int().min(0).default(DEFAULT_INTENTS),
    readReceiptEmoji: emoji.default("👀").transform(emojiOf),
    workingEmoji: emoji.default("🔧").transform(emojiOf),
    workingEmojiDelay: zod.number().min(0).max(3_600).default(2),
    queuedEmoji: emoji.default(null).transform(emojiOf),
    toolHintPrefix: zod.string().default("🔧"),
    replyToMessage: zod.boolean().default(false),
    threadIsolation: zod.boolean().default(true),
    streaming: zod.boolean().default(true),
    proxy: address("an address").nullable().default(null),
    proxyUsername: text,
    proxyPassword: text,
    apiBase: address("a base URL").default(PUBLIC_API_BASE)
      .transform((value) => value.replace(/\/+$/, "")),
  });
}

function isHttpAddress(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:");
}

/** The Discord channel at rest. */
export const manifest: ChannelManifest<DiscordSection> = {
  name: "discord",
  displayName: "Discord",
  schema: schemaOf,
  hosts: hostsOf,
  secrets: ["token", "proxyPassword"],
  missing: missingIn,
  // An enforced `nonce` counts for "the past few minutes".
  idempotencyMs: 2 * 60_000,
};
