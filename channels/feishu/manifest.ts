/**
 * What the gateway knows about the Feishu channel without loading it: no import at run time.
 * @module
 */

import type { z } from "zod";
import type { ChannelInstance, ChannelManifest, ChannelSection } from "../manifest.ts";

/** `channels.feishu` of the config. */
export interface FeishuSection extends FeishuSettings {
  /** Further bots, each with an app of its own. */
  readonly instances: readonly FeishuInstance[];
}

/** A further bot: its own keys; what it leaves out, credentials aside, is as for all. */
export interface FeishuInstance extends FeishuOverrides {
  /** Letters, digits, `_` and `-`; `default` is the bot that runs under the channel's own name. */
  readonly id: string;
  /** For people. */
  readonly name: string;
}

type FeishuOverrides = {
  readonly [Key in keyof FeishuSettings]?: FeishuSettings[Key] | undefined;
};

/** The keys of one bot. */
export interface FeishuSettings extends ChannelSection {
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
  /** Put on a message that must wait for its turn, instead of the one on receipt; null for none. */
  readonly queuedEmoji: string | null;
  /** Stands before each running tool in a growing card. */
  readonly toolHintPrefix: string;
  /** What the model thinks stands folded in the card of an answer that grows. */
  readonly showReasoning: boolean;
  /** Each topic of a group is a conversation of its own. */
  readonly topicIsolation: boolean;
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
  return botsOf(section).flatMap(({ key, instance }) =>
    instance.skipped === null ? missingFor(instance.section, key) : []
  );
}

/** @param key where the bot's keys stand */
function missingFor(section: FeishuSection, key: string): readonly string[] {
  const missing: string[] = [];
  if (section.appId === "") {
    missing.push(`${key}.appId is missing: copy the App ID from the developer console`);
  } else if (!APP_ID_PATTERN.test(section.appId)) {
    missing.push(`${key}.appId is "${section.appId}": an App ID is cli_ followed by 16 hex digits`);
  }
  if (section.appSecret === "") {
    missing.push(`${key}.appSecret is missing: copy the App Secret from the developer console`);
  }
  return missing;
}

function instancesOf(section: FeishuSection): readonly ChannelInstance<FeishuSection>[] {
  return botsOf(section).map(({ instance }) => instance);
}

/** A bot, and where its keys stand. */
interface Bot {
  readonly key: string;
  readonly instance: ChannelInstance<FeishuSection>;
}

/** The section's own bot, unless it only holds what its instances share, and then those. */
function botsOf(section: FeishuSection): readonly Bot[] {
  const { appId, instances } = section;
  const bots: Bot[] = [];
  const add = (key: string, name: string, own: FeishuSection): void => {
    const skipped = reasonToSkip(own, name, key, bots);
    bots.push({ key, instance: { name, section: { ...own, instances: [] }, skipped } });
  };
  if (appId !== "" || instances.length === 0) add("channels.feishu", "feishu", section);
  for (const [index, instance] of instances.entries()) {
    if (instance.enabled === false) continue;
    const name = instance.id === "default" ? "feishu" : `feishu.${instance.id}`;
    add(`channels.feishu.instances[${index}]`, name, withOverrides(section, instance));
  }
  return bots;
}

/** One app has one connection, and one name has one bot. */
function reasonToSkip(
  { appId }: FeishuSection,
  name: string,
  key: string,
  bots: readonly Bot[],
): string | null {
  const running = bots.filter(({ instance }) => instance.skipped === null);
  const sameApp = running.find(({ instance }) => appId !== "" && instance.section.appId === appId);
  if (sameApp !== undefined) return `${key} is skipped: ${sameApp.key} has the same app`;
  const sameName = running.find(({ instance }) => instance.name === name);
  return sameName === undefined ? null : `${key} is skipped: ${sameName.key} has the same id`;
}

/** Credentials belong to one app: they are never inherited. */
function withOverrides(
  section: FeishuSection,
  { id: _id, name: _name, ...overrides }: FeishuInstance,
): FeishuSection {
  const own = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return {
    ...section,
    appId: "",
    appSecret: "",
    encryptKey: "",
    verificationToken: "",
    ...Object.fromEntries(own),
  };
}

function schemaOf(zod: typeof z): z.ZodType<FeishuSection> {
  const emoji = zod.string().nullable();
  const emojiOf = (value: string | null) => value?.trim() || null;
  const baseUrl = zod.string().refine(isBaseUrl, {
    message: 'must be "feishu", "lark" or a base URL such as "https://open.feishu.cn"',
  });
  const policy = zod.enum(["mention", "open"]);
  const instance: z.ZodType<FeishuInstance> = zod.object({
    id: zod.string().regex(/^[A-Za-z0-9_-]+$/, {
      message: "must consist of letters, digits, _ and -",
    }),
    name: zod.string().default(""),
    enabled: zod.boolean().optional(),
    allowFrom: zod.array(zod.string()).optional(),
    appId: zod.string().trim().optional(),
    appSecret: zod.string().trim().optional(),
    encryptKey: zod.string().optional(),
    verificationToken: zod.string().optional(),
    groupPolicy: policy.optional(),
    reactEmoji: emoji.transform(emojiOf).optional(),
    doneEmoji: emoji.transform(emojiOf).optional(),
    queuedEmoji: emoji.transform(emojiOf).optional(),
    toolHintPrefix: zod.string().optional(),
    showReasoning: zod.boolean().optional(),
    topicIsolation: zod.boolean().optional(),
    replyToMessage: zod.boolean().optional(),
    streaming: zod.boolean().optional(),
    domain: baseUrl.optional(),
  });
  return zod.object({
    enabled: zod.boolean().default(false),
    allowFrom: zod.array(zod.string()).default([]),
    appId: zod.string().trim().default(""),
    appSecret: zod.string().trim().default(""),
    encryptKey: zod.string().default(""),
    verificationToken: zod.string().default(""),
    groupPolicy: policy.default("mention"),
    reactEmoji: emoji.default("THUMBSUP").transform(emojiOf),
    doneEmoji: emoji.default(null).transform(emojiOf),
    queuedEmoji: emoji.default(null).transform(emojiOf),
    toolHintPrefix: zod.string().default("🔧"),
    showReasoning: zod.boolean().default(false),
    topicIsolation: zod.boolean().default(true),
    replyToMessage: zod.boolean().default(false),
    streaming: zod.boolean().default(true),
    domain: baseUrl.default("feishu"),
    instances: zod.array(instance).default([]),
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
  instances: instancesOf,
  // The `uuid` of a send counts for an hour.
  idempotencyMs: 55 * 60_000,
  needsEnvironment: true,
  curiousPackage: "@larksuiteoapi/node-sdk",
};
