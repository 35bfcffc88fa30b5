/**
 * What the gateway knows about the DingTalk channel without loading it: no import at run time.
 * @module
 */

import type { z } from "zod";
import type { ChannelManifest, ChannelSection } from "../manifest.ts";

/** `channels.dingtalk` of the config. */
export interface DingTalkSection extends ChannelSection {
  /** Of the app (its AppKey), from the developer console. */
  readonly clientId: string;
  /** The app's secret. */
  readonly clientSecret: string;
  /** Of the robot, where it is not the app's client id. */
  readonly robotCode: string;
  /** Which group messages are for the bot: those that mention it, or all that DingTalk brings. */
  readonly groupPolicy: "mention" | "open";
  /** In groups everybody has a conversation of their own. */
  readonly groupUserIsolation: boolean;
  /** Reaction on receipt, any short words; null for none. */
  readonly reactEmoji: string | null;
  /** Reaction when the answer is done; null for none. */
  readonly doneEmoji: string | null;
  /** Instead of the one on receipt while a message waits for its turn; null for none. */
  readonly queuedEmoji: string | null;
  /** The API's address. */
  readonly apiBase: string;
  /** The older API's address, which takes files. */
  readonly oapiBase: string;
}

/** Where the platform is for everybody. */
export const PUBLIC_API_BASE = "https://api.dingtalk.com";

/** The stream's host varies; files of people lie in Alibaba's object storage. */
const PUBLIC_HOSTS = [
  "api.dingtalk.com:443",
  "oapi.dingtalk.com:443",
  "*.dingtalk.com:443",
  "*.aliyuncs.com:443",
];

function schemaOf(zod: typeof z): z.ZodType<DingTalkSection> {
  const reaction = zod.string().nullable();
  const reactionOf = (value: string | null) => value?.trim() || null;
  const isAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? "");
  const address = (usual: string) =>
    zod.string().refine(isAddress, { message: `must be a URL such as "${usual}"` }).default(usual)
      .transform((text) => text.replace(/\/+$/, ""));
  return zod.object({
    enabled: zod.boolean().default(false),
    allowFrom: zod.array(zod.coerce.string()).default([]),
    clientId: zod.string().trim().default(""),
    clientSecret: zod.string().trim().default(""),
    robotCode: zod.string().trim().default(""),
    groupPolicy: zod.enum(["mention", "open"]).default("mention"),
    groupUserIsolation: zod.boolean().default(false),
    reactEmoji: reaction.default("🤔Thinking").transform(reactionOf),
    doneEmoji: reaction.default(null).transform(reactionOf),
    queuedEmoji: reaction.default(null).transform(reactionOf),
    apiBase: address(PUBLIC_API_BASE),
    oapiBase: address("https://oapi.dingtalk.com"),
  });
}

function hostsOf({ apiBase, oapiBase }: DingTalkSection): readonly string[] {
  if (apiBase === PUBLIC_API_BASE) return PUBLIC_HOSTS;
  return [...new Set([apiBase, oapiBase].map(hostOf))];
}

function hostOf(address: string): string {
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

function missingIn({ clientId, clientSecret }: DingTalkSection): readonly string[] {
  const where = 'copy it from "Credentials" of the app in DingTalk\'s developer console';
  return [
    ...(clientId === "" ? [`channels.dingtalk.clientId is missing: ${where}`] : []),
    ...(clientSecret === "" ? [`channels.dingtalk.clientSecret is missing: ${where}`] : []),
  ];
}

/** The DingTalk channel at rest. */
export const manifest: ChannelManifest<DingTalkSection> = {
  name: "dingtalk",
  displayName: "DingTalk",
  schema: schemaOf,
  hosts: hostsOf,
  secrets: ["clientSecret"],
  missing: missingIn,
};
