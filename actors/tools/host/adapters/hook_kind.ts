/**
 * The host of a hook's module, which is loaded here, under the rights that the owner named for it,
 * and nowhere else.
 * @module
 */

import { z } from "zod";
import { HOOK_EVENTS } from "../../../config/schema/hooks.ts";
import { importForeign } from "../../../kernel/adapters/foreign_module.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { DESCRIBE_HOOKS, type HookContext } from "../../hooks/hook_event.ts";
import type { Tool } from "../../tool.ts";
import type { HostInside } from "../host_inside.ts";
import type { HostSetup } from "../host_protocol.ts";
import { bareTool } from "../bare_tool.ts";
import { REFUSED } from "../refused_ports.ts";

const settingsSchema = z.object({ module: z.string() });

type HookFunction = (event: JsonObject, context: HookContext) => unknown;

/** Opens the host. */
export function openHookKind({ settings }: HostSetup): HostInside {
  const { module } = settingsSchema.parse(settings);
  const loading = loadHooks(module);
  loading.catch(() => {}); // each call tells it
  return {
    context: REFUSED,
    find: async (name) => {
      const hooks = await loading;
      if (name === DESCRIBE_HOOKS) return asTool(name, () => [...hooks.keys()]);
      return asTool(name, hooks.get(name) ?? (() => null));
    },
  };
}

async function loadHooks(module: string): Promise<ReadonlyMap<string, HookFunction>> {
  // The owner's configuration names it, and the host can read nothing else than it may.
  const loaded: unknown = await importForeign(module);
  const exported = Object.entries(typeof loaded === "object" && loaded !== null ? loaded : {});
  const functions = new Map(exported.filter(isFunction));
  return new Map(HOOK_EVENTS.flatMap((name) => {
    const hook = functions.get(name);
    return hook === undefined ? [] : [[name, hook] as const];
  }));
}

function isFunction(entry: [string, unknown]): entry is [string, HookFunction] {
  return typeof entry[1] === "function";
}

function asTool(name: string, run: HookFunction): Tool {
  return bareTool(name, async (event, { signal }) => {
    const said = await run(event, { signal });
    return { content: JSON.stringify(said ?? null) ?? "null", isError: false };
  });
}
