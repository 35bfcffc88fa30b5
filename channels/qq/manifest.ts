/**
 * What the gateway knows about the QQ channel without loading it: no import at run time.
 * @module
 */

import type { z } from "zod";
import type { ChannelManifest, ChannelSection } from "../manifest.ts";

/** `channels.qq` of the config. */
export interface QqSection extends ChannelSection {
  /** The bot's number, from q.qq.com. */
  readonly appId: string;
  /** Its AppSecret. */
  readonly secret: string;
  /** How answers are written: as text alone, or in QQ's Markdown. */
  readonly msgFormat: "plain" | "markdown";
  /** Said as soon as a message was accepted; "" for nothing. Counts as one of its few answers. */
  readonly ackMessage: string;
  /** The largest file of a message that is kept. */
  readonly downloadMaxBytes: number;
  /** Base URL of the platform's API. */
  readonly apiBase: string;
  /** Base URL of the server that lends tokens. */
  readonly authBase: string;
}

const PUBLIC_API_BASE = "https://api.sgroup.qq.com";
const PUBLIC_AUTH_BASE = "https://bots.qq.com";
const MEBIBYTE = 1024 * 1024;

/** The platform; files of messages lie on hosts that vary. */
const PUBLIC_HOSTS = ["*.qq.com:443", "*.qq.com.cn:443", "*.qpic.cn:443"];

function schemaOf(zod: typeof z): z.ZodType<QqSection> {
  const address = zod.string().refine(isHttpAddress, {
    message: "must be a base URL that begins with http",
  });
  const base = (standard: string) =>
    address.default(standard).transform((value) => value.replace(/\/+$/, ""));
  return zod.object({
    enabled: zod.boolean().default(false),
    allowFrom: zod.array(zod.coerce.string()).default([]),
    appId: zod.coerce.string().trim().default(""),
    secret: zod.string().trim().default(""),
    msgFormat: zod.enum(["plain", "markdown"]).default("plain"),
    ackMessage: zod.string().default("⏳ Processing..."),
    downloadMaxBytes: zod.int().min(MEBIBYTE).default(200 * MEBIBYTE),
    apiBase: base(PUBLIC_API_BASE),
    authBase: base(PUBLIC_AUTH_BASE),
  });
}

function isHttpAddress(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:");
}

function hostsOf({ apiBase, authBase }: QqSection): readonly string[] {
  const own = [apiBase, authBase].filter((base) => !isPublic(base)).map(hostOf);
  return own.length === 2 ? [...new Set(own)] : [...PUBLIC_HOSTS, ...own];
}

function isPublic(base: string): boolean {
  return base === PUBLIC_API_BASE || base === PUBLIC_AUTH_BASE;
}

function hostOf(address: string): string {
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

function missingIn({ appId, secret }: QqSection): readonly string[] {
  const where = "copy it from q.qq.com, page Development settings of the bot";
  const lacks: string[] = [];
  if (appId === "") lacks.push(`channels.qq.appId is missing: ${where}`);
  else if (!/^\d+$/.test(appId)) lacks.push("channels.qq.appId is no AppID: it is a number");
  if (secret === "") lacks.push(`channels.qq.secret is missing: ${where}`);
  return lacks;
}

/** Whether files of messages may lie there: where the Worker may go, and nowhere else. */
export function isFileHost(address: string, section: QqSection): boolean {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return false;
  const host = hostOf(address);
  return hostsOf(section).some((allowed) =>
    allowed.startsWith("*.") ? host.endsWith(allowed.slice(1)) : host === allowed
  );
}

/** The QQ channel at rest. */
export const manifest: ChannelManifest<QqSection> = {
  name: "qq",
  displayName: "QQ",
  schema: schemaOf,
  hosts: hostsOf,
  secrets: ["secret"],
  missing: missingIn,
  sparesMessages: true, // five replies to one message, at most
};
