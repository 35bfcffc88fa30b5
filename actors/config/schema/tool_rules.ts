/**
 * Parts of section `tools`: which calls an owner is asked about, and which tools come from outside.
 * @module
 */

import { z } from "zod";
import { SECONDS_MAX, wholeNumber } from "./values.ts";

/** Calls that need an owner's yes. None unless they are named. */
export interface ApprovalConfig {
  /** Names of tools; `*` stands for any letters. */
  readonly tools: readonly string[];
  /** Programs with their first words, as in `git push`; `*` stands for any letters. */
  readonly commands: readonly string[];
  /** Seconds that an owner has to answer. */
  readonly timeout: number;
}

/** What the tools of a plug-in may do: exactly what is listed. */
export interface PluginRights {
  /** Absolute paths, or `workspace`. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** `host` or `host:port`. */
  readonly net: readonly string[];
}

/** A module whose tools join ours. */
export interface ToolPluginConfig {
  /** `npm:` specifier, absolute path or URL. */
  readonly module: string;
  readonly rights: PluginRights;
}

/** Schema of `tools.approval`. */
export const approvalSchema: z.ZodType<ApprovalConfig> = z.object({
  tools: z.array(z.string().min(1)).default([]),
  commands: z.array(z.string().regex(/\S/, { error: "names no program" })).default([]),
  timeout: wholeNumber(5, SECONDS_MAX).default(300),
});

const place = z.string().regex(/^(workspace|[/~].*|[A-Za-z]:[/\\].*)$/, {
  error: 'is neither "workspace" nor a whole path',
});

const host = z.string().regex(/^(\[[0-9a-fA-F:]+\]|[\w*-][\w.*-]*)(:\d{1,5})?$/, {
  error: 'is no host, such as "example.org" or "example.org:443"',
});

/** Schema of what a module of others may do. */
export const rightsSchema: z.ZodType<PluginRights> = z.strictObject({
  read: z.array(place).default([]),
  write: z.array(place).default([]),
  net: z.array(host).default([]),
});

/** Schema of `tools.plugins`. */
export const pluginsSchema: z.ZodType<readonly ToolPluginConfig[]> = z.array(z.object({
  module: moduleSpecifier(),
  rights: rightsSchema.prefault({}),
}));

/** What names a module wherever it is written. */
export function moduleSpecifier(): z.ZodType<string> {
  return z.string().regex(/^(npm:|file:\/\/|https:\/\/|[/~]|[A-Za-z]:[/\\])/, {
    error: 'is neither "npm:<package>", a whole path nor a URL',
  });
}
