/**
 * The host of a plug-in's tools. Its module is loaded here, under the rights that the owner named
 * for it, and nowhere else.
 * @module
 */

import { z } from "zod";
import { importForeign } from "../../../kernel/adapters/foreign_module.ts";
import { invariant } from "../../../kernel/invariant.ts";
import { DESCRIBE_TOOLS, parsePluginTools, type PluginTool } from "../../plugin_tool.ts";
import type { Tool, ToolResult } from "../../tool.ts";
import type { HostInside } from "../host_inside.ts";
import type { HostSetup } from "../host_protocol.ts";
import { bareTool } from "../bare_tool.ts";
import { REFUSED } from "../refused_ports.ts";

const settingsSchema = z.object({ module: z.string() });

const resultSchema: z.ZodType<string | ToolResult> = z.union([
  z.string(),
  z.object({ content: z.string(), isError: z.boolean().default(false) }),
]);

/** Opens the host. */
export function openPluginKind({ settings }: HostSetup): HostInside {
  const { module } = settingsSchema.parse(settings);
  const loading = loadTools(module);
  loading.catch(() => {}); // each call tells it
  return {
    context: REFUSED,
    find: async (name) => {
      const tools = await loading;
      if (name === DESCRIBE_TOOLS) return describing(tools);
      const tool = tools.find((candidate) => candidate.name === name);
      invariant(tool !== undefined, `the plug-in has a tool "${name}"`);
      return hosted(tool);
    },
  };
}

async function loadTools(module: string): Promise<readonly PluginTool[]> {
  // The owner's configuration names it, and the host can read nothing else than it may.
  const loaded: unknown = await importForeign(module);
  const exported = typeof loaded === "object" && loaded !== null && "tools" in loaded
    ? loaded.tools
    : undefined;
  if (!isToolList(exported)) {
    throw new TypeError(`Cannot use "${module}": it exports no list "tools" of things to call`);
  }
  parsePluginTools(exported.map(withoutCall));
  return exported;
}

function withoutCall({ name, description, parameters, concurrency, timeoutMs }: PluginTool) {
  return { name, description, parameters, concurrency, timeoutMs };
}

function isToolList(value: unknown): value is readonly PluginTool[] {
  return Array.isArray(value) &&
    value.every((item) =>
      typeof item === "object" && item !== null && "call" in item && typeof item.call === "function"
    );
}

function describing(tools: readonly PluginTool[]): Tool {
  return bare(
    DESCRIBE_TOOLS,
    () => Promise.resolve(JSON.stringify(parsePluginTools(tools.map(withoutCall)))),
  );
}

function hosted(tool: PluginTool): Tool {
  return bare(
    tool.name,
    async (args, { workspace, signal }) => await tool.call(args, { workspace, signal }),
  );
}

function bare(name: string, run: PluginTool["call"]): Tool {
  return bareTool(name, async (args, context) => {
    const parsed = resultSchema.safeParse(await run(args, context));
    if (!parsed.success) throw new TypeError(`"${name}" gave neither a text nor a result`);
    const result = parsed.data;
    return typeof result === "string" ? { content: result, isError: false } : result;
  });
}
