/**
 * What the gateway knows about the WebSocket channel without loading it: no import at run time.
 * @module
 */

import type { z } from "zod";
import type { ChannelManifest, ChannelSection } from "../manifest.ts";

/** `channels.websocket` of the config. */
export interface WebsocketSection extends ChannelSection {
  /** Where the server listens. */
  readonly host: string;
  readonly port: number;
  /** Where clients connect; begins with `/`. */
  readonly path: string;
  /** A secret that lets every client in; "" for none. */
  readonly token: string;
  /** Where short-lived tokens are issued; "" for nowhere. */
  readonly tokenIssuePath: string;
  /** What such a token costs; "": nothing. */
  readonly tokenIssueSecret: string;
  readonly tokenTtlS: number;
  /** Without a static token: a client needs an issued one. */
  readonly websocketRequiresToken: boolean;
  /** Pages that may connect from a browser, besides the server's own: `https://host`, or `"*"`. */
  readonly allowOrigins: readonly string[];
  /** Any client may follow any chat; otherwise a chat is its first client's. */
  readonly sharedChats: boolean;
  /** Answers come in pieces while they grow; otherwise whole. */
  readonly streaming: boolean;
  readonly maxMessageBytes: number;
  readonly maxConnections: number;
  readonly pingIntervalS: number;
  readonly pingTimeoutS: number;
  /** Certificate and key (PEM) for TLS; both or none. */
  readonly sslCertfile: string;
  readonly sslKeyfile: string;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/i;
/** For so long a repeated send surely finds what is kept of the first one. */
const IDEMPOTENCY_MS = 3_600_000;

function schemaOf(zod: typeof z): z.ZodType<WebsocketSection> {
  const text = zod.string().trim().default("");
  const isPath = (path: string): boolean => path === "" || path.startsWith("/");
  const beginsWithSlash = { message: 'must begin with "/"' };
  const seconds = zod.number().min(5).max(300).default(20);
  return zod.object({
    enabled: zod.boolean().default(false),
    allowFrom: zod.array(zod.coerce.string()).default(["*"]),
    showReasoning: zod.boolean().default(false),
    host: zod.string().trim().min(1).default("127.0.0.1"),
    port: zod.int().min(0).max(65_535).default(8765),
    path: zod.string().trim().default("/")
      .refine((path) => path.startsWith("/"), beginsWithSlash).transform(normalisedPath),
    token: text,
    tokenIssuePath: text.refine(isPath, beginsWithSlash)
      .transform((path) => path === "" ? "" : normalisedPath(path)),
    tokenIssueSecret: text,
    tokenTtlS: zod.int().min(30).max(86_400).default(300),
    websocketRequiresToken: zod.boolean().default(true),
    allowOrigins: zod.array(zod.string().trim().toLowerCase()).default([]),
    sharedChats: zod.boolean().default(true),
    streaming: zod.boolean().default(true),
    maxMessageBytes: zod.int().min(1_024).max(16_777_216).default(1_048_576),
    maxConnections: zod.int().min(1).max(10_000).default(200),
    pingIntervalS: seconds,
    pingTimeoutS: seconds,
    sslCertfile: text,
    sslKeyfile: text,
  }).refine(({ path, tokenIssuePath }) => tokenIssuePath !== path, {
    message: "must differ from path",
    path: ["tokenIssuePath"],
  }).refine(({ sslCertfile, sslKeyfile }) => (sslCertfile === "") === (sslKeyfile === ""), {
    message: "must stand together with sslKeyfile, or both be empty",
    path: ["sslCertfile"],
  });
}

/** A path as paths are compared: without slashes at its end, but for the root. */
export function normalisedPath(path: string): string {
  return path.replace(/\/+$/, "") || "/";
}

/** Whether a server there can be reached from this machine only. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}

function missingIn(section: WebsocketSection): readonly string[] {
  const { host, token, tokenIssuePath, tokenIssueSecret, websocketRequiresToken } = section;
  if (isLoopbackHost(host) || token !== "") return [];
  const isIssuing = tokenIssuePath !== "" && tokenIssueSecret !== "";
  if (isIssuing && websocketRequiresToken) return [];
  return [
    `channels.websocket.token is missing: other machines can reach "${host}", and nobody is let ` +
    "in there without a token (or tokenIssuePath with tokenIssueSecret)",
  ];
}

function hostOf({ host, port }: WebsocketSection): readonly string[] {
  return [`${host.includes(":") ? `[${host}]` : host}:${port}`];
}

/** The WebSocket channel at rest. */
export const manifest: ChannelManifest<WebsocketSection> = {
  name: "websocket",
  displayName: "WebSocket",
  schema: schemaOf,
  hosts: hostOf,
  reads: ({ sslCertfile, sslKeyfile }) => [sslCertfile, sslKeyfile].filter((path) => path !== ""),
  secrets: ["token", "tokenIssueSecret"],
  missing: missingIn,
  idempotencyMs: IDEMPOTENCY_MS,
  needsEnvironment: true,
};
