/**
 * Tools whose parameters are described elsewhere, by a server for one, in JSON Schema.
 * @module
 */

import { z } from "zod";
import type { JsonObject, JsonValue } from "../kernel/json.ts";
import { checkedTool, type ToolSpec } from "./define_tool.ts";
import type { Tool } from "./tool.ts";

/** A tool as it is described elsewhere. */
export interface ForeignToolSpec extends Omit<ToolSpec<JsonObject>, "parameters"> {
  /** With an object at its root; `$ref` within it, unions and patterns are understood. */
  readonly schema: JsonObject;
  /** The same for models, where that is to differ. @default `schema` */
  readonly shown?: JsonObject | undefined;
}

const jsonObject: z.ZodType<JsonObject> = z.record(
  z.string(),
  z.lazy((): z.ZodType<JsonValue> => z.json()),
);

/** Defines a tool by a schema from elsewhere; what of it makes no sense is not checked. */
export function defineForeignTool({ schema, shown = schema, ...spec }: ForeignToolSpec): Tool {
  const tool = checkedTool({ ...spec, parameters: parametersOf(schema) }, schema);
  return { ...tool, parameters: shown };
}

function parametersOf(schema: JsonObject): z.ZodType<JsonObject> {
  const checked = checkOf(schema);
  return jsonObject.superRefine((args, context) => {
    for (const { message, path } of issuesOf(args, checked)) {
      context.addIssue({ code: "custom", message, path: [...path] });
    }
  });
}

function checkOf(schema: JsonObject): z.ZodType {
  try {
    return z.fromJSONSchema({ ...schema });
  } catch {
    return z.unknown(); // a bad schema must not take the tool away
  }
}

/** None for a schema that leads nowhere but to itself. */
function issuesOf(args: JsonObject, checked: z.ZodType): readonly z.core.$ZodIssue[] {
  try {
    return checked.safeParse(args).error?.issues ?? [];
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}
