/**
 * The body of a request to Anthropic's Messages API.
 * @module
 */

import type { JsonObject } from "../../actors/kernel/json.ts";
import { cleanMessages } from "../messages/clean.ts";
import { blocksFrom } from "../messages/origin.ts";
import { parametersFor } from "../messages/schema.ts";
import type { ToolNames } from "../messages/tool_names.ts";
import type { ChatMessage, ChatRequest } from "../provider.ts";
import type { Traits } from "../trait_kinds.ts";
import { markConversation, markTools } from "./caching.ts";
import { planThinking } from "./thinking.ts";
import { toWireConversation } from "./wire_messages.ts";

/** What a body is built for. */
export interface BodyOptions {
  /** The model's name on the wire. */
  readonly model: string;
  readonly traits: Traits;
  readonly tools: ToolNames;
  /** Marks the thinking that this model may see again. */
  readonly origin: string;
}

/** Builds the body of a streaming request: long answers are refused in any other way. */
export function buildBody(request: ChatRequest, options: BodyOptions): JsonObject {
  const { model, traits, tools, origin } = options;
  const messages = cleanMessages(request.messages);
  const thinking = planThinking(request, traits, !lacksThoughts(messages, origin));
  const plain = toWireConversation(messages, {
    traits,
    tools,
    thinkingFrom: thinking.isOn ? origin : null,
  });
  const conversation = traits.cachesPrompts ? markConversation(plain) : plain;
  return {
    model,
    ...(conversation.system.length > 0 && { system: conversation.system }),
    messages: conversation.messages.map(({ role, content }) => ({ role, content })),
    stream: true,
    ...thinking.fields,
    ...toolsOf(request, options),
  };
}

/**
 * Whether the calls that the model is to go on from came without thoughts of its own: it then
 * goes on without thinking, or the API refuses.
 */
function lacksThoughts(messages: readonly ChatMessage[], origin: string): boolean {
  const last = messages.findLast((message) => message.role === "assistant");
  return last?.tool_calls !== undefined && blocksFrom(last.thinking_blocks, origin).length === 0;
}

function toolsOf({ tools }: ChatRequest, { traits, tools: names }: BodyOptions): JsonObject {
  if (tools.length === 0) return {};
  const wire = tools.map(({ name, description, parameters }): JsonObject => ({
    name: names.toWire(name),
    ...(description !== "" && { description: description.toWellFormed() }),
    input_schema: parametersFor(parameters, traits.schema),
  }));
  return {
    tools: traits.cachesPrompts ? markTools(wire) : wire,
    tool_choice: { type: "auto" },
  };
}
