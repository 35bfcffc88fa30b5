/**
 * Clean messages in the shape of chat completions, with what the vendor at hand takes and no more.
 * @module
 */

import { createHash } from "node:crypto";
import { jsonrepair } from "jsonrepair";
import type { JsonObject, JsonValue } from "../../actors/kernel/json.ts";
import type {
  AssistantMessage,
  ChatMessage,
  ContentBlock,
  ToolCall,
  ToolMessage,
} from "../provider.ts";
import { parseArguments } from "./call_fold.ts";

/** What a vendor takes besides the usual. */
export interface WireTraits {
  readonly keepsReasoning: boolean;
  readonly keepsExtraContent: boolean;
  readonly wantsShortCallIds: boolean;
}

const SEE_BELOW = "(The image follows in the next message.)";

/** Renders `messages`, which must be clean. */
export function toWireMessages(
  messages: readonly ChatMessage[],
  traits: WireTraits,
): readonly JsonObject[] {
  const callId = traits.wantsShortCallIds ? shortCallId : (id: string) => id;
  const wire: JsonObject[] = [];
  let images: ContentBlock[] = [];
  for (const message of messages) {
    if (message.role !== "tool" && images.length > 0) {
      wire.push({ role: "user", content: images.map(toWireBlock) });
      images = [];
    }
    if (message.role === "tool") images.push(...imagesOf(message));
    wire.push(toWireMessage(message, traits, callId));
  }
  if (images.length > 0) wire.push({ role: "user", content: images.map(toWireBlock) });
  return wire;
}

function toWireMessage(
  message: ChatMessage,
  traits: WireTraits,
  callId: (id: string) => string,
): JsonObject {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return { role: "user", content: toWireContent(message.content) };
    case "tool":
      return {
        role: "tool",
        tool_call_id: callId(message.tool_call_id),
        name: message.name,
        content: resultText(message),
      };
    case "assistant":
      return toWireAnswer(message, traits, callId);
  }
}

function toWireAnswer(
  message: AssistantMessage,
  traits: WireTraits,
  callId: (id: string) => string,
): JsonObject {
  const { content, tool_calls: calls = [], reasoning_content: reasoning } = message;
  return {
    role: "assistant",
    content,
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => toWireCall(call, traits, callId)),
    }),
    ...(traits.keepsReasoning && reasoning !== undefined && { reasoning_content: reasoning }),
  };
}

function toWireCall(
  call: ToolCall,
  { keepsExtraContent }: WireTraits,
  callId: (id: string) => string,
): JsonObject {
  return {
    id: callId(call.id),
    type: "function",
    function: { name: call.function.name, arguments: objectText(call.function.arguments) },
    ...(keepsExtraContent && call.extra_content !== undefined &&
      { extra_content: call.extra_content }),
  };
}

function toWireContent(content: string | readonly ContentBlock[]): JsonValue {
  return typeof content === "string" ? content : content.map(toWireBlock);
}

function toWireBlock(block: ContentBlock): JsonObject {
  return block.type === "text"
    ? { type: "text", text: block.text }
    : { type: "image_url", image_url: { url: block.image_url.url } };
}

/** Tool results are text on the wire: OpenAI and most others refuse images in them. */
function resultText({ content }: ToolMessage): string {
  if (typeof content === "string") return content;
  const texts = content.map((block) => block.type === "text" ? block.text : SEE_BELOW);
  return texts.join("\n");
}

function imagesOf({ content }: ToolMessage): readonly ContentBlock[] {
  return typeof content === "string" ? [] : content.filter(({ type }) => type === "image_url");
}

/**
 * Arguments of an old call as JSON text of an object, which servers insist on. Repairing is fine
 * here: this call has had its result and never runs again.
 */
function objectText(text: string): string {
  if (parseArguments(text, false).state === "ok") return text;
  try {
    const repaired = jsonrepair(text);
    if (parseArguments(repaired, false).state === "ok") return repaired;
  } catch {
    // Beyond repair: the result that follows says what went wrong.
  }
  return "{}";
}

/** Nine letters and digits, the same for the same id. */
function shortCallId(id: string): string {
  if (/^[A-Za-z0-9]{9}$/.test(id)) return id;
  return createHash("sha1").update(id).digest("hex").slice(0, 9);
}
