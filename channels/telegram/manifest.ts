/**
 * What the gateway knows about the Telegram channel without loading it: no import at run time.
 * @module
 */

import type { z } from "zod";
import type { ChannelManifest, ChannelSection } from "../manifest.ts";

/** `channels.telegram` of the config. */
export interface TelegramSection extends ChannelSection {
  /** From @BotFather: the bot's number, a colon, and a secret. */
  readonly token: string;
  /** An HTTP or SOCKS proxy as a URL; null for none. */
  readonly proxy: string | null;
  /** The first part of an answer quotes the message it answers. */
  readonly replyToMessage: boolean;
  /** Reaction on receipt, one of those that Telegram offers; null for none. */
  readonly reactEmoji: string | null;
  /** Reaction when the answer is done; null for none. */
  readonly doneEmoji: string | null;
  /** Instead of the one on receipt while a message waits for its turn; null for none. */
  readonly queuedEmoji: string | null;
  /** Which group messages are for the bot: those that speak to it, or all. */
  readonly groupPolicy: "mention" | "open";
  /** Answers grow in a message; otherwise they come whole. */
  readonly streaming: boolean;
  /** Least time between two changes of a growing message, in seconds. */
  readonly streamEditInterval: number;
  /** Stands before each running tool below a growing answer. */
  readonly toolHintPrefix: string;
  /** The Bot API's address, for a server of one's own. */
  readonly apiRoot: string;
}

const TOKEN_PATTERN = /^\d+:[\w-]+$/;

function schemaOf(zod: typeof z): z.ZodType<TelegramSection> {
  const emoji = zod.string().nullable();
  const emojiOf = (value: string | null) => value?.trim() || null;
  const isAddress = (text: string, protocols: RegExp): boolean =>
    protocols.test(URL.parse(text)?.protocol ?? "");
  return zod.object({
    enabled: zod.boolean().default(false),
    allowFrom: zod.array(zod.coerce.string()).default([]),
    token: zod.string().trim().default(""),
    proxy: zod.string().refine((text) => isAddress(text, /^(https?|socks5h?):$/), {
      message: 'must be a URL such as "http://host:port" or "socks5://host:port"',
    }).nullable().default(null),
    replyToMessage: zod.boolean().default(false),
    reactEmoji: emoji.default("👀").transform(emojiOf),
    doneEmoji: emoji.default(null).transform(emojiOf),
    queuedEmoji: emoji.default(null).transform(emojiOf),
    groupPolicy: zod.enum(["mention", "open"]).default("mention"),
    streaming: zod.boolean().default(true),
    streamEditInterval: zod.number().min(0.1).default(0.6),
    toolHintPrefix: zod.string().default("🔧"),
    apiRoot: zod.string().refine((text) => isAddress(text, /^https?:$/), {
      message: 'must be a URL such as "https://api.telegram.org"',
    }).default("https://api.telegram.org").transform((text) => text.replace(/\/+$/, "")),
  });
}

function hostsOf({ apiRoot, proxy }: TelegramSection): readonly string[] {
  return [apiRoot, ...(proxy === null ? [] : [proxy])].map(hostOf);
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  "http:": "80",
  "https:": "443",
  "socks5:": "1080",
  "socks5h:": "1080",
};

function hostOf(address: string): string {
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port || (DEFAULT_PORTS[protocol] ?? "443")}`;
}

function missingIn({ token }: TelegramSection): readonly string[] {
  if (token === "") {
    return ["channels.telegram.token is missing: get one from @BotFather with /newbot"];
  }
  return TOKEN_PATTERN.test(token)
    ? []
    : ["channels.telegram.token is no bot token: it is a number, a colon, letters and digits"];
}

/** The Telegram channel at rest. */
export const manifest: ChannelManifest<TelegramSection> = {
  name: "telegram",
  displayName: "Telegram",
  schema: schemaOf,
  hosts: hostsOf,
  secrets: ["token", "proxy"],
  missing: missingIn,
};
