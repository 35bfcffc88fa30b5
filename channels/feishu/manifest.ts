/**
 * What the gateway knows about the Feishu channel without loading it: no import at run time.
 * @module
 */

import type { z } from "zod";
import type { ChannelManifest, ChannelSection } from "../manifest.ts";

/** `channels.feishu` of the config. */
export interface FeishuSection extends ChannelSection {
  /** `cli_` and 16 hex digits, from the developer console. */
  readonly appId: string;
  readonly appSecret: string;
  /** Only needed when encryption is switched on at the console. */
  readonly encryptKey: string;
  readonly verificationToken: string;
  /** Which group messages are for the bot: those that mention it, or all. */
  readonly groupPolicy: "mention" | "open";
  /** Reaction on receipt; null for none. */
  readonly reactEmoji: string | null;
  /** Reaction when the answer is done; null for none. */
  readonly doneEmoji: string | null;
  /** Stands before each running tool in a growing card. */
  readonly toolHintPrefix: string;
  /** The first part of an answer quotes the message it answers. */
  readonly replyToMessage: boolean;
  /** Answers grow in a card; otherwise they come whole. */
  readonly streaming: boolean;
  /** `feishu`, `lark`, or a base URL without a path. */
  readonly domain: string;
}

const APP_ID_PATTERN = /^cli_[0-9a-fA-F]{16}$/;

/**
 * The base URL of the platform's API that `domain` stands for, without a slash at its end.
 *
 * @param domain `feishu`, `lark` or a base URL
 */
export function baseUrlOf(domain: string): string {
  switch (domain) {
    case "feishu":
      return "https://open.feishu.cn";
    case "lark":
      return "https://open.larksuite.com";
    default:
      return domain.replace(/\/+$/, "");
  }
}

function hostsOf(section: FeishuSection): readonly string[] {
  switch (section.domain) {
    case "feishu":
      return ["open.feishu.cn:443", "msg-frontier.feishu.cn:443"];
    case "lark":
      return [
        "open.larksuite.com:443",
        "msg-frontier.larksuite.com:443",
        "msg-frontier-sg.larksuite.com:443",
      ];
    default: {
      const url = new URL(section.domain);
      return [`${url.hostname}:${url.port || (url.protocol === "https:" ? "443" : "80")}`];
    }
  }
}

function missingIn(section: FeishuSection): readonly string[] {
  const missing: string[] = [];
  if (section.appId === "") {
    missing.push("channels.feishu.appId is missing: copy the App ID from the developer console");
  } else if (!APP_ID_PATTERN.test(section.appId)) {
    missing.push(
      `channels.feishu.appId is "${section.appId}": an App ID is cli_ followed by 16 hex digits`,
    );
  }
  if (section.appSecret === "") {
    missing.push(
      "channels.feishu.appSecret is missing: copy the App Secret from the developer console",
    );
  }
  return missing;
}

function schemaOf(zod: typeof z): z.ZodType<FeishuSection> {
  const emoji = (name: string | null) =>
    zod.string().nullable().default(name).transform((value) => value?.trim() || null);
  const baseUrl = zod.string().refine(isBaseUrl, {
    message: 'must be "feishu", "lark" or a base URL such as "https://open.feishu.cn"',
  });
  return zod.object({
    enabled: zod.boolean().default(false),
    allowFrom: zod.array(zod.string()).default([]),
    appId: zod.string().trim().default(""),
    appSecret: zod.string().trim().default(""),
    encryptKey: zod.string().default(""),
    verificationToken: zod.string().default(""),
    groupPolicy: zod.enum(["mention", "open"]).default("mention"),
    reactEmoji: emoji("THUMBSUP"),
    doneEmoji: emoji(null),
    toolHintPrefix: zod.string().default("🔧"),
    replyToMessage: zod.boolean().default(false),
    streaming: zod.boolean().default(true),
    domain: baseUrl.default("feishu"),
  });
}

function isBaseUrl(domain: string): boolean {
  if (domain === "feishu" || domain === "lark") return true;
  const url = URL.parse(domain);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") &&
    url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "";
}

/** The Feishu channel at rest. */
export const manifest: ChannelManifest<FeishuSection> = {
  name: "feishu",
  displayName: "Feishu",
  schema: schemaOf,
  hosts: hostsOf,
  secrets: ["appSecret", "encryptKey", "verificationToken"],
  missing: missingIn,
  // The `uuid` of a send counts for an hour.
  idempotencyMs: 55 * 60_000,
  needsEnvironment: true,
};
