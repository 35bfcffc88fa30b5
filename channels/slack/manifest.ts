/**
 * What the gateway knows about the Slack channel without loading it: no import at run time.
 * @module
 */

import type { z } from "zod";
import type { ChannelManifest, ChannelSection } from "../manifest.ts";

/** `channels.slack` of the config. */
export interface SlackSection extends ChannelSection {
  /** Only `socket`: events come over a connection that the bot opens. */
  readonly mode: "socket";
  /** Read for the sake of older files; a socket has no path. */
  readonly webhookPath: string;
  /** Read for the sake of older files; nothing is done with a user's token. */
  readonly userTokenReadOnly: boolean;
  /** `xoxb-…`: speaks for the bot. */
  readonly botToken: string;
  /** `xapp-…`, with the scope `connections:write`: opens the connection. */
  readonly appToken: string;
  /** Answers to channel messages go into a thread below them. */
  readonly replyInThread: boolean;
  /** Reaction on receipt, a name without colons; null for none. */
  readonly reactEmoji: string | null;
  /** Reaction when the answer is done; null for none. */
  readonly doneEmoji: string | null;
  /** Put on a message that must wait for its turn, instead of the one on receipt; null for none. */
  readonly queuedEmoji: string | null;
  /** Which channel messages are for the bot: those that mention it, all, or all of some channels. */
  readonly groupPolicy: "mention" | "open" | "allowlist";
  /** Channel ids for `allowlist`. */
  readonly groupAllowFrom: readonly string[];
  readonly dm: SlackDirectMessages;
  /** Answers grow while they are written; otherwise they come whole. */
  readonly streaming: boolean;
  /** Base of the Web API. */
  readonly apiUrl: string;
}

/** What counts in direct chats, beside `allowFrom`. */
export interface SlackDirectMessages {
  readonly enabled: boolean;
  readonly policy: "open" | "allowlist";
  /** User ids for `allowlist`. */
  readonly allowFrom: readonly string[];
}

/** Where Slack's Web API is. */
export const SLACK_API_URL = "https://slack.com/api/";

function hostsOf({ apiUrl }: SlackSection): readonly string[] {
  const url = new URL(apiUrl);
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const host = `${url.hostname}:${port}`;
  // Sockets and files have hosts of their own below the API's.
  return url.protocol === "https:" ? [host, `*.${host}`] : [host];
}

function missingIn({ botToken, appToken }: SlackSection): readonly string[] {
  return [
    ...tokenFaults("botToken", botToken, {
      prefix: "xoxb-",
      page: '"OAuth & Permissions" of the app',
    }),
    ...tokenFaults("appToken", appToken, {
      prefix: "xapp-",
      page: '"Basic Information" of the app, "App-Level Tokens"',
    }),
  ];
}

function tokenFaults(
  key: string,
  token: string,
  { prefix, page }: { readonly prefix: string; readonly page: string },
): readonly string[] {
  if (token === "") return [`channels.slack.${key} is missing: copy it from ${page}`];
  if (token.startsWith(prefix)) return [];
  return [`channels.slack.${key} does not begin with ${prefix}: copy it from ${page}`];
}

function schemaOf(zod: typeof z): z.ZodType<SlackSection> {
  const emojiOf = (value: string | null) => value?.trim().replace(/^:|:$/g, "") || null;
  const emoji = zod.string().nullable();
  const ids = zod.array(zod.string()).default([]);
  return zod.object({
    enabled: zod.boolean().default(false),
    allowFrom: ids,
    mode: zod.literal("socket", {
      error: 'must be "socket": events come over a connection that the bot opens',
    }).default("socket"),
    webhookPath: zod.string().default("/slack/events"),
    userTokenReadOnly: zod.boolean().default(true),
    botToken: zod.string().trim().default(""),
    appToken: zod.string().trim().default(""),
    replyInThread: zod.boolean().default(true),
    reactEmoji: emoji.default("eyes").transform(emojiOf),
    doneEmoji: emoji.default("white_check_mark").transform(emojiOf),
    queuedEmoji: emoji.default(null).transform(emojiOf),
    groupPolicy: zod.enum(["mention", "open", "allowlist"]).default("mention"),
    groupAllowFrom: ids,
    dm: zod.object({
      enabled: zod.boolean().default(true),
      policy: zod.enum(["open", "allowlist"]).default("open"),
      allowFrom: ids,
    }).default({ enabled: true, policy: "open", allowFrom: [] }),
    streaming: zod.boolean().default(true),
    apiUrl: zod.string().refine(isBaseUrl, {
      message: `must be the base address of the Web API, such as "${SLACK_API_URL}"`,
    }).transform((url) => `${url.replace(/\/+$/, "")}/`).default(SLACK_API_URL),
  });
}

function isBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") &&
    url.search === "" && url.hash === "" && url.username === "";
}

/** The Slack channel at rest. A send has no key: a doubtful one is looked up in the channel. */
export const manifest: ChannelManifest<SlackSection> = {
  name: "slack",
  displayName: "Slack",
  schema: schemaOf,
  hosts: hostsOf,
  secrets: ["botToken", "appToken"],
  missing: missingIn,
  needsEnvironment: true,
};
