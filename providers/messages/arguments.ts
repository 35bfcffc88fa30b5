/**
 * Arguments of tool calls: strictly read where the call will run, mended where it has run.
 * @module
 */

import { jsonrepair } from "jsonrepair";
import { z } from "zod";
import { isTooDeep, type JsonObject } from "../../actors/kernel/json.ts";
import type { RequestedCall } from "../provider.ts";

/** Stands in history for a call that named no tool. */
const NAMELESS = "unnamed";

const parameters: z.ZodType<JsonObject> = z.record(z.string(), z.json());

/** A call as the model wrote it. */
export interface WrittenArguments {
  readonly id: string;
  /** "" when it names none. */
  readonly name: string;
  readonly arguments: string;
}

/**
 * The call for the agent, with its arguments read strictly.
 *
 * @param isCutOff the model was stopped at its limit of tokens
 */
export function requestedCall(call: WrittenArguments, isCutOff: boolean): RequestedCall {
  const text = call.arguments.trim() === "" ? "{}" : call.arguments;
  return {
    call: {
      id: call.id,
      type: "function",
      function: { name: call.name || NAMELESS, arguments: text },
    },
    parsed: call.name === ""
      ? { state: "invalid", problem: "The call names no tool" }
      : parseArguments(text, isCutOff),
  };
}

/**
 * Parses arguments strictly: what the model did not write is never run.
 *
 * @param isCutOff the model was stopped at its limit of tokens
 */
export function parseArguments(text: string, isCutOff: boolean): RequestedCall["parsed"] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const problem = isCutOff || endsInside(text)
      ? "The arguments are not valid JSON: the output was cut off"
      : "The arguments are not valid JSON";
    return { state: "invalid", problem };
  }
  if (isTooDeep(value)) {
    return { state: "invalid", problem: "The arguments are nested too deep" };
  }
  const parsed = parameters.safeParse(value);
  return parsed.success
    ? { state: "ok", value: parsed.data }
    : { state: "invalid", problem: "The arguments are no JSON object" };
}

/**
 * Arguments of an old call as an object, which servers insist on. Repairing is fine here: this
 * call has had its result and never runs again.
 */
export function pastArguments(text: string): JsonObject {
  const strict = parseArguments(text, false);
  if (strict.state === "ok") return strict.value;
  try {
    const repaired = parseArguments(jsonrepair(text), false);
    if (repaired.state === "ok") return repaired.value;
  } catch {
    // Beyond repair: the result that follows says what went wrong.
  }
  return {};
}

/** {@link pastArguments} as text: as the model wrote it, where that is right. */
export function pastArgumentsText(text: string): string {
  return parseArguments(text, false).state === "ok" ? text : JSON.stringify(pastArguments(text));
}

/** Whether the text ends within a string or a bracket. */
function endsInside(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index);
    if (inString && char === "\\") index++;
    else if (char === '"') inString = !inString;
    else if (!inString && (char === "{" || char === "[")) depth++;
    else if (!inString && (char === "}" || char === "]")) depth--;
  }
  return inString || depth > 0;
}
