/**
 * The body of a chat completions request: what we ask, in the words of the vendor at hand.
 * @module
 */

import type { JsonObject, JsonValue } from "../../actors/kernel/json.ts";
import { cleanMessages } from "../messages/clean.ts";
import {
  hasKeyword,
  hasKimiThinking,
  isClaude,
  isReasoningModel,
  wireModelName,
} from "../model_names.ts";
import type { ChatRequest, ToolDefinition } from "../provider.ts";
import type { Vendor } from "../vendors.ts";
import { markMessages, markTools } from "./caching.ts";
import type { Concession } from "./concessions.ts";
import { toWireMessages } from "./wire_messages.ts";

/** Efforts that mean: do not think. */
const OFF = new Set(["none", "minimal", "minimum"]);

/**
 * Builds the body of a streaming request.
 *
 * @param concessions what the vendor has refused for this model before
 */
export function buildBody(
  request: ChatRequest,
  vendor: Vendor,
  concessions: ReadonlySet<Concession>,
): JsonObject {
  const model = wireModelName(vendor, request.model);
  const isCached = (vendor.cachesPrompts ?? false) && isClaude(model);
  const messages = toWireMessages(cleanMessages(request.messages), {
    keepsReasoning: (vendor.keepsReasoning ?? false) !== concessions.has("reasoning_content"),
    keepsExtraContent: vendor.keepsExtraContent ?? hasKeyword(model, "gemini"),
    wantsShortCallIds: vendor.wantsShortCallIds ?? false,
  });
  const body: Record<string, JsonValue> = {
    model,
    messages: isCached ? markMessages(messages) : messages,
    stream: true,
    ...limitOf(request, vendor, model, concessions),
    ...temperatureOf(request, vendor, model, concessions),
    ...overridesOf(vendor, model),
    ...effortOf(request, vendor, model),
    ...toolsOf(request.tools, isCached),
  };
  if (!concessions.has("stream_options")) body["stream_options"] = { include_usage: true };
  return body;
}

function limitOf(
  { tokensMax }: ChatRequest,
  vendor: Vendor,
  model: string,
  concessions: ReadonlySet<Concession>,
): JsonObject {
  const isNew = vendor.usesMaxCompletionTokens || isReasoningModel(model) ||
    concessions.has("max_tokens");
  return { [isNew ? "max_completion_tokens" : "max_tokens"]: Math.max(1, tokensMax) };
}

function temperatureOf(
  { temperature, reasoningEffort }: ChatRequest,
  vendor: Vendor,
  model: string,
  concessions: ReadonlySet<Concession>,
): JsonObject {
  const thinks = reasoningEffort !== null && reasoningEffort !== "" && reasoningEffort !== "none";
  const isExcluded = isReasoningModel(model) || concessions.has("temperature") ||
    (thinks && vendor.effortExcludesTemperature);
  return isExcluded ? {} : { temperature };
}

function overridesOf(vendor: Vendor, model: string): JsonObject {
  const name = model.toLowerCase();
  return vendor.modelOverrides?.find(({ fragment }) => name.includes(fragment))?.body ?? {};
}

function effortOf(
  { reasoningEffort: effort }: ChatRequest,
  vendor: Vendor,
  model: string,
): JsonObject {
  if (effort === null || effort === "") return {};
  const isOn = !OFF.has(effort);
  const kimi = hasKimiThinking(model);
  // "adaptive" leaves it to the model, which no effort says best. Kimi takes one of the two only.
  const isWord = effort !== "none" && effort !== "adaptive" && !kimi;
  return {
    ...(isWord && { reasoning_effort: effort === "minimum" ? "minimal" : effort }),
    ...thinkingOf(kimi ? "thinking_type" : vendor.thinkingStyle, isOn),
  };
}

function thinkingOf(style: Vendor["thinkingStyle"], isOn: boolean): JsonObject {
  switch (style) {
    case "enable_thinking":
      return { enable_thinking: isOn };
    case "reasoning_split":
      return { reasoning_split: isOn };
    case "thinking_type":
      return { thinking: { type: isOn ? "enabled" : "disabled" } };
    case undefined:
      return {};
  }
}

function toolsOf(tools: readonly ToolDefinition[], isCached: boolean): JsonObject {
  if (tools.length === 0) return {};
  const wire = tools.map(({ name, description, parameters }): JsonObject => ({
    type: "function",
    function: { name, description: description.toWellFormed(), parameters },
  }));
  return { tools: isCached ? markTools(wire) : wire, tool_choice: "auto" };
}
