/**
 * Section `tools`: what the assistant may do, and how far it reaches.
 * @module
 */

import { isIP } from "node:net";
import { z } from "zod";
import { type McpServerConfig, mcpServerSchema } from "./mcp_server.ts";
import {
  type ApprovalConfig,
  approvalSchema,
  pluginsSchema,
  type ToolPluginConfig,
} from "./tool_rules.ts";
import { SECONDS_MAX, urlOrNull, wholeNumber } from "./values.ts";

/** The tool with which the assistant looks at itself. */
export interface MyConfig {
  readonly enable: boolean;
  /** Lets it change its own settings while it runs. */
  readonly allowSet: boolean;
}

/** Who answers a web search. */
export interface WebSearchConfig {
  readonly provider: "brave" | "tavily" | "duckduckgo" | "searxng" | "jina" | "kagi";
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly maxResults: number;
  /** Seconds. */
  readonly timeout: number;
}

/** How pages are fetched. */
export interface WebFetchConfig {
  /** Lets r.jina.ai read pages first, which then learns their addresses. */
  readonly useJinaReader: boolean;
}

/** Search and fetch. */
export interface WebConfig {
  readonly enable: boolean;
  /** HTTP or SOCKS5 proxy of all web tools. */
  readonly proxy: string | null;
  /** What the web tools call themselves to servers; "": as a browser would. */
  readonly userAgent: string;
  readonly search: WebSearchConfig;
  readonly fetch: WebFetchConfig;
}

/** How far a shell command is kept away from the machine. */
export type SandboxLevel = "auto" | "bwrap" | "virtual" | "process";

/** What a shell command reaches under `bwrap`. */
export type ShellNetwork = "filtered" | "none" | "host";

/** The shell. */
export interface ExecConfig {
  readonly enable: boolean;
  /** Seconds per command, unless the call asks for less or more. */
  readonly timeout: number;
  /** Appended to PATH. */
  readonly pathAppend: string;
  /** `auto`: the strongest level that works here. */
  readonly sandbox: SandboxLevel;
  readonly network: ShellNetwork;
  /** Names of variables that commands inherit. */
  readonly allowedEnvKeys: readonly string[];
  /** Expressions; a command is refused where a program in it, with its words, matches one. */
  readonly denyPatterns: readonly string[];
  /** Lifts the built-in rules where every program of a command matches one. */
  readonly allowPatterns: readonly string[];
}

/** Section `tools`. */
export interface ToolsConfig {
  /** Files and shell stay inside the workspace. */
  readonly restrictToWorkspace: boolean;
  /** Folders besides the workspace that the file tools read. */
  readonly readableFolders: readonly string[];
  /** Folders besides the workspace that the file tools read and write. */
  readonly writableFolders: readonly string[];
  /** Address ranges that the web tools reach although they are private. */
  readonly ssrfWhitelist: readonly string[];
  /** The only hosts that may be reached, `example.org` or `*.example.org`; none: every public one. */
  readonly allowedHosts: readonly string[];
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>;
  readonly my: MyConfig;
  readonly web: WebConfig;
  readonly exec: ExecConfig;
  readonly approval: ApprovalConfig;
  readonly plugins: readonly ToolPluginConfig[];
}

const my: z.ZodType<MyConfig> = z.object({
  enable: z.boolean().default(true),
  allowSet: z.boolean().default(false),
});

const webSearch: z.ZodType<WebSearchConfig> = z.object({
  // Blank stands for Brave in files of nanobot.
  provider: z.enum(["brave", "tavily", "duckduckgo", "searxng", "jina", "kagi", ""])
    .transform((name) => name === "" ? "brave" : name).default("duckduckgo"),
  apiKey: z.string().default(""),
  baseUrl: z.string().default(""),
  maxResults: wholeNumber(1, 100).default(5),
  timeout: wholeNumber(1, 600).default(30),
});

const webFetch: z.ZodType<WebFetchConfig> = z.object({
  useJinaReader: z.boolean().default(false),
});

const web: z.ZodType<WebConfig> = z.object({
  enable: z.boolean().default(true),
  proxy: urlOrNull(["http:", "https:", "socks5:", "socks5h:"]),
  userAgent: z.string().refine(isHeaderText, { error: "is no single line of plain text" })
    .default(""),
  search: webSearch.prefault({}),
  fetch: webFetch.prefault({}),
});

const exec: z.ZodType<ExecConfig> = z.object({
  enable: z.boolean().default(true),
  timeout: wholeNumber(1, SECONDS_MAX).default(60),
  pathAppend: z.string().default(""),
  sandbox: z.enum(["auto", "bwrap", "virtual", "process", "none", ""])
    .transform(sandboxLevel).default("auto"),
  network: z.enum(["filtered", "none", "host"]).default("filtered"),
  allowedEnvKeys: z.array(z.string()).default([]),
  denyPatterns: z.array(expression()).default([]),
  allowPatterns: z.array(expression()).default([]),
});

/** Schema of section `tools`. */
export const toolsSchema: z.ZodType<ToolsConfig> = z.object({
  restrictToWorkspace: z.boolean().default(true),
  readableFolders: z.array(folder()).default([]),
  writableFolders: z.array(folder()).default([]),
  ssrfWhitelist: z.array(
    z.string().refine(isAddressRange, { error: 'is not an address range, such as "10.0.0.0/8"' }),
  ).default([]),
  allowedHosts: z.array(
    z.string().refine(isHostRule, {
      error: 'is no host, such as "example.org" or "*.example.org"',
    }),
  ).default([]),
  mcpServers: z.record(z.string(), mcpServerSchema).default({}),
  my: my.prefault({}),
  web: web.prefault({}),
  exec: exec.prefault({}),
  approval: approvalSchema.prefault({}),
  plugins: pluginsSchema.default([]),
});

/** A folder by its whole path, or from the home folder on. */
function folder(): z.ZodType<string> {
  return z.string().regex(/^([/~]|[A-Za-z]:[/\\])/, {
    error: 'is not a whole path, such as "/srv/notes" or "~/notes"',
  });
}

/** What takes more than linear time, so that a command could freeze whoever looks at it. */
const NOT_LINEAR = /(?<!\\)(?:\\\\)*(?:\(\?<?[=!]|\\(?:[1-9]|k<))/;

/** A regular expression, checked here so that a slip is named at the start. */
function expression(): z.ZodType<string> {
  return z.string().refine(isExpression, { error: "is not a regular expression" })
    .refine((text) => !NOT_LINEAR.test(text), {
      error: "looks ahead, behind or back (such as (?=a), (?!a) or \\1), which is not supported",
    });
}

function isExpression(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}

function sandboxLevel(written: SandboxLevel | "none" | ""): SandboxLevel {
  if (written === "") return "auto";
  return written === "none" ? "process" : written;
}

/** A host, or all hosts below one. */
function isHostRule(text: string): boolean {
  return /^(\*\.)?[\p{L}\p{N}]([\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u.test(text);
}

function isHeaderText(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** An address, or one with the length of its prefix. */
function isAddressRange(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = address.includes("%") ? 0 : isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32);
}
