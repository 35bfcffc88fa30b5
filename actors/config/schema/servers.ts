/**
 * Sections `api` and `gateway`: what listens, and what runs by itself.
 * @module
 */

import { z } from "zod";
import { port, SECONDS_MAX, wholeNumber } from "./values.ts";

/** A hundred years. */
const DAYS_MAX = 36_500;

/** Section `api`: the OpenAI-compatible server. */
export interface ApiConfig {
  /** The gateway serves it; the command `serve` does in any case. */
  readonly enabled: boolean;
  readonly host: string;
  readonly port: number;
  /** Seconds per request. */
  readonly timeout: number;
  /** The bearer token; "": none, and this machine alone may come in. */
  readonly apiKey: string;
  /** Further tokens, by the names of their holders, who have conversations of their own. */
  readonly apiKeys: Readonly<Record<string, string>>;
  /** Pages that may use it from a browser: `https://host`, or `"*"`. */
  readonly allowOrigins: readonly string[];
  /** Requests under way at once; more are refused. */
  readonly maxConcurrentRequests: number;
}

/** The regular look at HEARTBEAT.md. */
export interface HeartbeatConfig {
  readonly enabled: boolean;
  /** Seconds between two looks. */
  readonly intervalS: number;
  /** Messages of the heartbeat's session kept after each one. */
  readonly keepRecentMessages: number;
  /** Who hears of results, as `channel:chat`; null: where a person last wrote. */
  readonly target: string | null;
  /** No look in these hours, `22:00-08:00` in `agents.defaults.timezone`; null: at any time. */
  readonly quietHours: string | null;
}

/** How long the record of what came and went is kept. */
export interface RetentionConfig {
  /** Days for which finished messages keep their content in the journal. */
  readonly finishedDays: number;
  /** Days for which a message that a platform sends again is known. */
  readonly dedupeDays: number;
}

/** Section `gateway`: the health endpoint, the heartbeat, the journal. */
export interface GatewayConfig {
  readonly host: string;
  readonly port: number;
  readonly heartbeat: HeartbeatConfig;
  readonly retention: RetentionConfig;
}

/** Schema of section `api`. */
export const apiSchema: z.ZodType<ApiConfig> = z.object({
  enabled: z.boolean().default(false),
  host: z.string().min(1).default("127.0.0.1"),
  port: port().default(8_900),
  timeout: z.number().gt(0).max(SECONDS_MAX).default(120),
  apiKey: z.string().trim().default(""),
  apiKeys: z.record(
    z.string().regex(/^(?!user$)[A-Za-z0-9._-]{1,64}$/, {
      error: 'is no name for a key: letters, digits, ".", "_" and "-", and not "user"',
    }),
    z.string().trim().min(1),
  ).default({}),
  allowOrigins: z.array(z.string().trim().toLowerCase()).default([]),
  maxConcurrentRequests: wholeNumber(1).default(32),
});

const heartbeat: z.ZodType<HeartbeatConfig> = z.object({
  enabled: z.boolean().default(true),
  intervalS: wholeNumber(1).default(1_800),
  keepRecentMessages: wholeNumber(0).default(8),
  target: z.string().regex(/^[^:]+:.+$/, "give channel and chat, such as feishu:oc_1").nullable()
    .default(null),
  quietHours: z.string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/, "give hours such as 22:00-08:00")
    .nullable().default(null),
});

const retention: z.ZodType<RetentionConfig> = z.object({
  finishedDays: z.number().gt(0).max(DAYS_MAX).default(7),
  dedupeDays: z.number().gt(0).max(DAYS_MAX).default(30),
});

/** Schema of section `gateway`. */
export const gatewaySchema: z.ZodType<GatewayConfig> = z.object({
  host: z.string().min(1).default("127.0.0.1"),
  port: port().default(18_790),
  heartbeat: heartbeat.prefault({}),
  retention: retention.prefault({}),
});
