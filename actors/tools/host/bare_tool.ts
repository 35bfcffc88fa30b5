/**
 * Tools as a host runs them.
 * @module
 */

import type { Tool } from "../tool.ts";

/** What counts of a tool in its host; the gateway knows its description, needs and limits. */
export function bareTool(name: string, call: Tool["call"]): Tool {
  return {
    name,
    description: "",
    parameters: {},
    needs: {},
    concurrency: "exclusive",
    timeoutMs: 0,
    call,
  };
}
