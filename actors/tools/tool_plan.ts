/**
 * A tool whose schema is made where its arguments are checked: in the gateway. The host that runs
 * it needs none, and so not zod either, which was a third of its start.
 * @module
 */

import type { z } from "zod";
import { defineTool, type ToolSpec } from "./define_tool.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";

/** The library that makes schemas. */
type Zod = typeof z;

/** Arguments of a tool that were checked. */
export type CheckedArguments = Readonly<Record<string, unknown>>;

/** A tool before anybody checks its arguments. */
export interface ToolPlan {
  readonly name: string;
  /** The tool, which checks them. */
  define(zod: Zod): Tool;
  /** Its work, for arguments that such a tool has checked. */
  run(parameters: CheckedArguments, context: ToolContext): Promise<ToolResult>;
}

/** A plan's parts: those of a tool, and a schema that waits for its library. */
export interface ToolPlanSpec<Parameters extends CheckedArguments>
  extends Omit<ToolSpec<Parameters>, "parameters"> {
  readonly parameters: (zod: Zod) => z.ZodType<Parameters>;
}

/** Plans a tool. */
export function planTool<Parameters extends CheckedArguments>(
  { parameters, ...spec }: ToolPlanSpec<Parameters>,
): ToolPlan {
  return {
    name: spec.name,
    define: (zod) => defineTool({ ...spec, parameters: parameters(zod) }),
    run: spec.run,
  };
}
