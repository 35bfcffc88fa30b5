/**
 * Makes a tool from its parts: the arguments a model sends are cast where that is safe, checked,
 * and answered with what is wrong where they cannot be used.
 * @module
 */

// A type only: help and version come by here, and zod takes half of their time.
import type { z } from "zod";
import { asJson, type JsonObject } from "../kernel/json.ts";
import { argumentProblems } from "./argument_problems.ts";
import { castArguments } from "./cast_arguments.ts";
import {
  type Tool,
  type ToolConcurrency,
  type ToolContext,
  ToolError,
  type ToolNeeds,
  type ToolResult,
} from "./tool.ts";

/** A tool before it is defined. `Parameters` is the parsed shape of its arguments. */
export interface ToolSpec<Parameters extends object> {
  readonly name: string;
  readonly description: string;
  readonly parameters: z.ZodType<Parameters>;
  readonly needs: ToolNeeds;
  readonly concurrency: ToolConcurrency;
  readonly timeoutMs: number;
  readonly run: (parameters: Parameters, context: ToolContext) => Promise<ToolResult>;
}

/** Defines a tool; the JSON Schema for the model is derived from the zod one. */
export function defineTool<Parameters extends object>(spec: ToolSpec<Parameters>): Tool {
  const { $schema: _, ...schema } = asJson(spec.parameters.toJSONSchema({ io: "input" }));
  return checkedTool(spec, schema);
}

/** A tool whose arguments are cast by `schema`, which the model sees, and checked by `spec`. */
export function checkedTool<Parameters extends object>(
  spec: ToolSpec<Parameters>,
  schema: JsonObject,
): Tool {
  const parse = (args: JsonObject): Parameters => {
    const cast = castArguments(args, schema);
    const parsed = spec.parameters.safeParse(cast);
    if (parsed.success) return parsed.data;
    const text = argumentProblems(spec.name, parsed.error.issues, { args: cast, schema });
    throw new ToolError("arguments_invalid", text);
  };
  return {
    name: spec.name,
    description: spec.description,
    parameters: schema,
    needs: spec.needs,
    concurrency: spec.concurrency,
    timeoutMs: spec.timeoutMs,
    check: (args) => asJson(Object.fromEntries(Object.entries(parse(args)))),
    call: async (args, context) => await spec.run(parse(args), context),
  };
}

/** A result that is plain text. */
export function textResult(content: string): ToolResult {
  return { content, isError: false };
}

/** A result that says what went wrong, for the model. */
export function errorResult(message: string): ToolResult {
  return { content: `Error: ${message}`, isError: true };
}
