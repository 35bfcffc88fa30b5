/**
 * Clean messages in the shape of Anthropic's Messages API.
 * @module
 */

import type { JsonObject } from "../../actors/kernel/json.ts";
import { OMITTED_IMAGE } from "../images.ts";
import { pastArguments } from "../messages/arguments.ts";
import { CallIds } from "../messages/call_ids.ts";
import { blocksFrom } from "../messages/origin.ts";
import type { ToolNames } from "../messages/tool_names.ts";
import type { AssistantMessage, ChatMessage, ContentBlock } from "../provider.ts";
import type { Traits } from "../trait_kinds.ts";

/** A message of the API; neighbours never have the same role. */
export interface WireMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly JsonObject[];
}

/** A conversation of the API. */
export interface WireConversation {
  readonly system: readonly JsonObject[];
  readonly messages: readonly WireMessage[];
}

/** What messages are rendered for. */
export interface WireOptions {
  readonly traits: Traits;
  readonly tools: ToolNames;
  /** Whose thinking may be sent back; null: nobody's. */
  readonly thinkingFrom: string | null;
}

/** Kinds of images that the API takes. */
const DATA_URL = /^data:(image\/(?:png|jpeg|gif|webp));base64,([\s\S]*)$/i;

/** Renders `messages`, which must be clean. */
export function toWireConversation(
  messages: readonly ChatMessage[],
  options: WireOptions,
): WireConversation {
  const ids = new CallIds(options.traits.callIds);
  const system: JsonObject[] = [];
  const wire: { role: WireMessage["role"]; content: JsonObject[] }[] = [];
  const add = (role: WireMessage["role"], blocks: readonly JsonObject[]) => {
    const last = wire.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else wire.push({ role, content: [...blocks] });
  };
  for (const message of messages) {
    switch (message.role) {
      case "system":
        system.push({ type: "text", text: message.content });
        break;
      case "user":
        add("user", toBlocks(message.content));
        break;
      case "assistant":
        add("assistant", answerBlocks(message, ids, options));
        break;
      case "tool": {
        const { content } = message;
        const id = ids.forResult(message.tool_call_id);
        add("user", [{
          type: "tool_result",
          tool_use_id: id,
          content: typeof content === "string" ? content : toBlocks(content),
        }]);
      }
    }
  }
  return { system, messages: wire };
}

/** Thinking stands first, as the model wrote it, or the API refuses the calls behind it. */
function answerBlocks(
  message: AssistantMessage,
  ids: CallIds,
  { tools, thinkingFrom }: WireOptions,
): readonly JsonObject[] {
  const { content, tool_calls: calls = [], thinking_blocks: thinking } = message;
  const uses = calls.map(({ id, function: called }): JsonObject => ({
    type: "tool_use",
    id: ids.forCall(id),
    name: tools.toWire(called.name),
    input: pastArguments(called.arguments),
  }));
  return [
    ...(thinkingFrom === null ? [] : blocksFrom(thinking, thinkingFrom)),
    ...(content === null ? [] : [{ type: "text", text: content }]),
    ...uses,
  ];
}

function toBlocks(content: string | readonly ContentBlock[]): readonly JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((block) =>
    block.type === "text" ? { type: "text", text: block.text } : toImage(block.image_url.url)
  );
}

function toImage(url: string): JsonObject {
  const [, mediaType, data] = DATA_URL.exec(url) ?? [];
  if (mediaType !== undefined && data !== undefined) {
    const source = { type: "base64", media_type: mediaType.toLowerCase(), data };
    return { type: "image", source };
  }
  if (/^https?:/i.test(url)) return { type: "image", source: { type: "url", url } };
  return { type: "text", text: OMITTED_IMAGE };
}
