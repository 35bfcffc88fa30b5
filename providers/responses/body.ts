/**
 * The body of a request to the Responses API.
 * @module
 */

import type { JsonObject } from "../../actors/kernel/json.ts";
import { effortWord, isThinking } from "../effort.ts";
import { cleanMessages } from "../messages/clean.ts";
import { parametersFor } from "../messages/schema.ts";
import type { ToolNames } from "../messages/tool_names.ts";
import type { ChatRequest } from "../provider.ts";
import type { Traits } from "../trait_kinds.ts";
import { toInput } from "./input.ts";

/** What a body is built for. */
export interface BodyOptions {
  /** The model's name on the wire. */
  readonly model: string;
  readonly traits: Traits;
  readonly tools: ToolNames;
  /** Marks the reasoning that this model may see again. */
  readonly origin: string;
}

/** Builds the body of a streaming request. */
export function buildBody(request: ChatRequest, options: BodyOptions): JsonObject {
  const { model, traits, tools, origin } = options;
  const { reasoningEffort: effort, temperature, tokensMax } = request;
  const thinks = traits.wantsResponses || isThinking(effort, traits);
  const { instructions, input } = toInput(cleanMessages(request.messages), {
    tools,
    reasoningFrom: thinks ? origin : null,
  });
  const word = effortWord(effort, traits);
  const hasTemperature = traits.temperature !== "never" && (effort === null || effort === "");
  return {
    model,
    instructions: instructions === "" ? null : instructions,
    input,
    max_output_tokens: Math.max(1, tokensMax),
    store: false,
    stream: true,
    ...(hasTemperature && { temperature }),
    ...(word !== undefined && { reasoning: { effort: word, summary: "auto" } }),
    // Encrypted, it can come back although nothing is stored there.
    ...(thinks && { include: ["reasoning.encrypted_content"] }),
    ...toolsOf(request, options),
  };
}

function toolsOf({ tools }: ChatRequest, { traits, tools: names }: BodyOptions): JsonObject {
  if (tools.length === 0) return {};
  const wire = tools.map(({ name, description, parameters }): JsonObject => ({
    type: "function",
    name: names.toWire(name),
    description: description.toWellFormed(),
    parameters: parametersFor(parameters, traits.schema),
    // What is absent here counts as strict, and our schemas are not of that kind.
    strict: false,
  }));
  return { tools: wire, tool_choice: "auto" };
}
