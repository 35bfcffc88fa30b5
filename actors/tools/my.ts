/**
 * The `my` tool: the model looks at its own state, and changes what it may change.
 * @module
 */

import { z } from "zod";
import { isObject, type JsonValue } from "../kernel/json.ts";
import { defineTool, textResult } from "./define_tool.ts";
import { type OwnState, type Tool, type ToolContext, ToolError } from "./tool.ts";

const parameters = z.object({
  action: z.enum(["check", "set", "inspect", "modify"]).describe(
    "check: look at your state; set: change a value",
  ),
  key: z.string().max(200).optional().describe(
    "A name, or a path such as scratchpad.plan. Leave it out to see everything",
  ),
  value: z.json().optional().describe("For set: the new value; null removes a note"),
});

/** The tool. @param maySet the configuration lets the model change values */
export function myTool(maySet: boolean): Tool {
  return defineTool({
    name: "my",
    description:
      "Look at your own running state: model, limits, iterations, usage, subagents, and your notes " +
      "for this session (scratchpad). " +
      (maySet
        ? "With set you can change model, max_iterations and context_window_tokens for this " +
          "session, and keep notes under any other name."
        : "It can only be looked at."),
    parameters,
    needs: {},
    concurrency: "exclusive",
    timeoutMs: 30_000,
    run: async ({ action, key = "", value = null }, context) => {
      const own = ownOf(context);
      const name = key.trim();
      if (action === "check" || action === "inspect") return textResult(await look(own, name));
      if (!maySet) {
        throw new ToolError("not_available", "Cannot set values: tools.my.allowSet is false");
      }
      if (name === "") throw new ToolError("arguments_invalid", "Cannot set a value without a key");
      return textResult(await own.set(name, value));
    },
  });
}

function ownOf({ own }: ToolContext): OwnState {
  if (own !== undefined) return own;
  throw new ToolError("not_available", "Cannot look at the state of the session here");
}

async function look(own: OwnState, path: string): Promise<string> {
  const state = await own.look();
  if (path === "") return JSON.stringify(state, null, 2);
  const value = valueAt(state, path) ?? valueAt(state["scratchpad"], path);
  if (value === undefined) {
    const names = Object.keys(state).join(", ");
    throw new ToolError("arguments_invalid", `Cannot find "${path}". There are: ${names}`);
  }
  return JSON.stringify(value, null, 2);
}

/** Own fields only: nothing of the program can be reached by a path. */
function valueAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let at = value;
  for (const part of path.split(".")) {
    if (!isObject(at) || !Object.hasOwn(at, part)) return undefined;
    at = at[part];
  }
  return at;
}
