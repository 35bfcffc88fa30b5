/**
 * An entry of `tools.mcpServers`: a server whose tools join ours.
 * @module
 */

import { z } from "zod";
import { SECONDS_MAX, textMap, wholeNumber } from "./values.ts";

/** What a server may do whose `command` is `deno`: exactly what is listed. */
export interface McpRights {
  /** Absolute paths. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** `host` or `host:port`. */
  readonly net: readonly string[];
  /** Programs. */
  readonly run: readonly string[];
  /** Facts of the system, such as `hostname`. */
  readonly sys: readonly string[];
}

/** How to sign in to a server that registers no clients by itself. */
export interface McpSignInConfig {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  /** 0: any that is free. */
  readonly callbackPort: number;
}

/** A server whose tools join ours. */
export interface McpServerConfig {
  /** null: found out from `command` or `url`. */
  readonly type: "stdio" | "sse" | "streamableHttp" | null;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly rights: McpRights;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth: McpSignInConfig;
  /** Seconds that a call may go without an answer or progress. */
  readonly toolTimeout: number;
  /** Raw or full tool names; `"*"` is all, none is none. */
  readonly enabledTools: readonly string[];
}

const texts = z.array(z.string().min(1)).default([]);

const rights: z.ZodType<McpRights> = z.strictObject({
  ...{ read: texts, write: texts, net: texts, run: texts, sys: texts },
});

const oauth: z.ZodType<McpSignInConfig> = z.object({
  clientId: z.string().default(""),
  clientSecret: z.string().default(""),
  scope: z.string().default(""),
  callbackPort: wholeNumber(0, 65_535).default(0),
});

/** Schema of an entry. */
export const mcpServerSchema: z.ZodType<McpServerConfig> = z.object({
  type: z.enum(["stdio", "sse", "streamableHttp"]).nullable().default(null),
  command: z.string().default(""),
  args: z.array(z.string()).default([]),
  env: textMap().default({}),
  rights: rights.prefault({}),
  url: z.string().default(""),
  headers: textMap().default({}),
  oauth: oauth.prefault({}),
  toolTimeout: wholeNumber(1, SECONDS_MAX).default(30),
  enabledTools: z.array(z.string()).default(["*"]),
});
