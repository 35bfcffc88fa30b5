/**
 * The body of a chat completions request: what we ask, in the words of the vendor at hand.
 * @module
 */

import type { JsonObject, JsonValue } from "../../actors/kernel/json.ts";
import { effortWord, isThinking, thinkingSwitch } from "../effort.ts";
import { cleanMessages } from "../messages/clean.ts";
import { parametersFor } from "../messages/schema.ts";
import type { ToolNames } from "../messages/tool_names.ts";
import type { ChatRequest } from "../provider.ts";
import type { Traits } from "../trait_kinds.ts";
import { markMessages, markTools } from "./caching.ts";
import type { Concession } from "./concessions.ts";
import { toWireMessages } from "./wire_messages.ts";

/** What a body is built for. */
export interface BodyOptions {
  /** The model's name on the wire. */
  readonly model: string;
  readonly traits: Traits;
  readonly tools: ToolNames;
  /** What the vendor has refused for this model before. */
  readonly concessions: ReadonlySet<Concession>;
}

/** Builds the body of a streaming request. */
export function buildBody(request: ChatRequest, options: BodyOptions): JsonObject {
  const { model, tools } = options;
  const traits = withConcessions(options);
  const { reasoningEffort: effort } = request;
  const messages = toWireMessages(cleanMessages(request.messages), {
    traits,
    tools,
    isThinking: isThinking(effort, traits),
  });
  const body: Record<string, JsonValue> = {
    model,
    messages: traits.cachesPrompts ? markMessages(messages) : messages,
    stream: true,
    [traits.limitField]: Math.max(1, request.tokensMax),
    ...temperatureOf(request, traits),
    ...traits.body,
    ...effortOf(effort, traits),
    ...thinkingSwitch(effort, traits),
    ...toolsOf(request, options, traits),
  };
  if (!options.concessions.has("stream_options")) body["stream_options"] = { include_usage: true };
  return body;
}

function withConcessions({ traits, concessions }: BodyOptions): Traits {
  return {
    ...traits,
    ...(concessions.has("temperature") && { temperature: "never" }),
    ...(concessions.has("effort") && { effortFields: [], thinkingSwitch: null }),
    ...(concessions.has("reasoning_content") && {
      reasoning: traits.reasoning === "drop" ? "fill" : "drop",
    }),
    ...(concessions.has("limit_field") && {
      limitField: traits.limitField === "max_tokens" ? "max_completion_tokens" : "max_tokens",
    }),
  };
}

function temperatureOf({ temperature, reasoningEffort }: ChatRequest, traits: Traits): JsonObject {
  const hasEffort = reasoningEffort !== null && reasoningEffort !== "" &&
    reasoningEffort !== "none";
  const isSent = traits.temperature === "always" ||
    (traits.temperature === "without_effort" && !hasEffort);
  return isSent ? { temperature } : {};
}

function effortOf(effort: string | null, traits: Traits): JsonObject {
  const word = effortWord(effort, traits);
  if (word === undefined) return {};
  const fields = traits.effortFields.map((field): [string, JsonValue] => [
    field,
    field === "reasoning" ? { effort: word } : word,
  ]);
  return Object.fromEntries(fields);
}

function toolsOf(
  { tools }: ChatRequest,
  { tools: names, concessions }: BodyOptions,
  traits: Traits,
): JsonObject {
  if (tools.length === 0 || concessions.has("tools")) return {};
  const wire = tools.map(({ name, description, parameters }): JsonObject => ({
    type: "function",
    function: {
      name: names.toWire(name),
      description: description.toWellFormed(),
      parameters: parametersFor(parameters, traits.schema),
    },
  }));
  return {
    tools: traits.cachesPrompts ? markTools(wire) : wire,
    tool_choice: "auto",
    ...traits.toolBody,
  };
}
