/**
 * Tools of others: what their module must export, and how they look from the gateway, which never
 * loads the module itself.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../kernel/json.ts";
import { castArguments } from "./cast_arguments.ts";
import type { HostCall } from "./host/host_protocol.ts";
import type { HostAnswer } from "./host/tool_host.ts";
import type { Tool, ToolNeeds, ToolResult } from "./tool.ts";

/** A call by this name asks a plug-in's host what tools there are; no tool may have it. */
export const DESCRIBE_TOOLS = "describe_tools";

const TIMEOUT_MS = 60_000;
const TIMEOUT_MS_MAX = 600_000;
const TOOLS_MAX = 64;

/** What a tool of a plug-in is told besides its arguments. */
export interface PluginCallContext {
  /** Absolute path. */
  readonly workspace: string;
  readonly signal: AbortSignal;
}

/** A tool as the module of a plug-in exports it, in a list named `tools`. */
export interface PluginTool {
  /** Lower snake_case. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object at its root. */
  readonly parameters: JsonObject;
  /** `shared` for what changes nothing. @default "exclusive" */
  readonly concurrency?: Tool["concurrency"];
  /** @default 60 s; 10 minutes at most */
  readonly timeoutMs?: number;
  /** What it throws becomes an error that the model reads. */
  call(args: JsonObject, context: PluginCallContext): Promise<string | ToolResult>;
}

/** What a host tells of a tool. */
export type PluginToolFacts = Required<Omit<PluginTool, "call">>;

const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), z.json());

const factsSchema: z.ZodType<PluginToolFacts> = z.object({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, { error: "is not lower snake_case" })
    .refine((name) => name !== DESCRIBE_TOOLS, { error: `cannot be ${DESCRIBE_TOOLS}` }),
  description: z.string().min(1).max(4_000),
  parameters: jsonObject,
  concurrency: z.enum(["shared", "exclusive"]).default("exclusive"),
  timeoutMs: z.number().min(1).max(TIMEOUT_MS_MAX).default(TIMEOUT_MS),
});

/**
 * Checks what a module exports as `tools`, or what a host told of it.
 *
 * @throws {TypeError} naming what is wrong
 */
export function parsePluginTools(exported: unknown): readonly PluginToolFacts[] {
  const parsed = z.array(factsSchema).min(1).max(TOOLS_MAX).safeParse(exported);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
  throw new TypeError(`Cannot use the list "tools": ${problems.join("; ")}`);
}

/** How a tool is run in its host. */
export type CallPlugin = (call: HostCall, signal: AbortSignal) => Promise<HostAnswer>;

/** The tool as the registry holds it. */
export function pluginTool(facts: PluginToolFacts, needs: ToolNeeds, callHost: CallPlugin): Tool {
  const { name, description, parameters, concurrency, timeoutMs } = facts;
  return {
    ...{ name, description, parameters, concurrency, timeoutMs, needs },
    call: async (args, { origin, signal }) => {
      const call = { tool: name, args: castArguments(args, parameters), origin, reads: [] };
      return (await callHost(call, signal)).result;
    },
  };
}
