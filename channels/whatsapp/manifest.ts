/**
 * What the gateway knows about the WhatsApp channel without loading it: no import at run time.
 * @module
 */

import type { z } from "zod";
import type { ChannelManifest, ChannelSection } from "../manifest.ts";

/** `channels.whatsapp` of the config. */
export interface WhatsAppSection extends ChannelSection {
  /** Which group messages are for the bot: all, or those that speak to it. */
  readonly groupPolicy: "open" | "mention";
  /** The first part of an answer quotes the message it answers. */
  readonly replyToMessage: boolean;
  /** Reaction on receipt; null for none. */
  readonly reactEmoji: string | null;
  /** Reaction when the answer is done; null for none. */
  readonly doneEmoji: string | null;
  /** Instead of the one on receipt while a message waits for its turn; null for none. */
  readonly queuedEmoji: string | null;
  /** Messages that were taken show as read. */
  readonly markRead: boolean;
  /** Of a bridge program that is not needed here; null when the file does not name it. */
  readonly bridgeUrl: string | null;
  /** The bridge's; null when the file does not name it. */
  readonly bridgeToken: string | null;
  /** Where WhatsApp's socket is. */
  readonly serverUrl: string;
}

/** A sent message's id protects it as long as phones keep the message; a day is surely less. */
const IDEMPOTENCY_MS = 24 * 3_600_000;
const SERVER_URL = "wss://web.whatsapp.com/ws/chat";
const MEDIA_HOSTS = "*.whatsapp.net:443";

function schemaOf(zod: typeof z): z.ZodType<WhatsAppSection> {
  const emoji = zod.string().nullable();
  const emojiOf = (value: string | null) => value?.trim() || null;
  return zod.object({
    enabled: zod.boolean().default(false),
    allowFrom: zod.array(zod.coerce.string()).default([]),
    groupPolicy: zod.enum(["open", "mention"]).default("open"),
    replyToMessage: zod.boolean().default(false),
    reactEmoji: emoji.default("👀").transform(emojiOf),
    doneEmoji: emoji.default(null).transform(emojiOf),
    queuedEmoji: emoji.default(null).transform(emojiOf),
    markRead: zod.boolean().default(true),
    bridgeUrl: zod.string().nullable().default(null),
    bridgeToken: zod.string().nullable().default(null),
    serverUrl: zod.string().refine((text) => /^wss?:$/.test(URL.parse(text)?.protocol ?? ""), {
      message: `must be a URL such as "${SERVER_URL}"`,
    }).default(SERVER_URL),
  });
}

/** A server of one's own, which only tests have, keeps the files as well. */
function hostsOf({ serverUrl }: WhatsAppSection): readonly string[] {
  const { hostname, port, protocol } = new URL(serverUrl);
  const isSecure = protocol === "wss:";
  const server = `${hostname}:${port || (isSecure ? "443" : "80")}`;
  return isSecure ? [server, MEDIA_HOSTS] : [server];
}

/** The WhatsApp channel at rest. Its credentials are no keys of the section: a device is linked. */
export const manifest: ChannelManifest<WhatsAppSection> = {
  name: "whatsapp",
  displayName: "WhatsApp",
  schema: schemaOf,
  hosts: hostsOf,
  secrets: ["bridgeToken"],
  missing: () => [],
  idempotencyMs: IDEMPOTENCY_MS,
  needsEnvironment: true,
  keepsState: true,
};
