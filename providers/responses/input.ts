/**
 * Clean messages in the shape of OpenAI's Responses API. Nothing is stored there (`store` is
 * false), so that items carry no ids of the server's.
 * @module
 */

import type { JsonObject, JsonValue } from "../../actors/kernel/json.ts";
import { pastArgumentsText } from "../messages/arguments.ts";
import { CallIds } from "../messages/call_ids.ts";
import { blocksFrom } from "../messages/origin.ts";
import type { ToolNames } from "../messages/tool_names.ts";
import type { AssistantMessage, ChatMessage, ContentBlock } from "../provider.ts";

/** A conversation of the API. */
export interface ResponsesInput {
  /** All standing instructions; "" for none. */
  readonly instructions: string;
  readonly input: readonly JsonObject[];
}

/** What messages are rendered for. */
export interface InputOptions {
  readonly tools: ToolNames;
  /** Whose encrypted reasoning goes along; null: nobody's. */
  readonly reasoningFrom: string | null;
}

/** Renders `messages`, which must be clean. */
export function toInput(
  messages: readonly ChatMessage[],
  options: InputOptions,
): ResponsesInput {
  const ids = new CallIds("word_64");
  const instructions: string[] = [];
  const input: JsonObject[] = [];
  for (const message of messages) {
    switch (message.role) {
      case "system":
        instructions.push(message.content);
        break;
      case "user":
        input.push({ role: "user", content: toParts(message.content) });
        break;
      case "assistant":
        input.push(...answerItems(message, ids, options));
        break;
      case "tool":
        input.push({
          type: "function_call_output",
          call_id: ids.forResult(message.tool_call_id),
          output: toOutput(message.content),
        });
    }
  }
  return { instructions: instructions.join("\n\n"), input };
}

/** Reasoning stands directly before what it led to. */
function answerItems(
  message: AssistantMessage,
  ids: CallIds,
  { tools, reasoningFrom }: InputOptions,
): readonly JsonObject[] {
  const { content, tool_calls: calls = [], thinking_blocks: reasoning } = message;
  return [
    ...(reasoningFrom === null ? [] : blocksFrom(reasoning, reasoningFrom)),
    ...(content === null ? [] : [{
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: content }],
    }]),
    ...calls.map(({ id, function: called }): JsonObject => ({
      type: "function_call",
      // Other programs write the id of the call and that of the item, one behind the other.
      call_id: ids.forCall(id),
      name: tools.toWire(called.name),
      arguments: pastArgumentsText(called.arguments),
    })),
  ];
}

function toParts(content: string | readonly ContentBlock[]): readonly JsonObject[] {
  if (typeof content === "string") return [{ type: "input_text", text: content }];
  return content.map((block) =>
    block.type === "text"
      ? { type: "input_text", text: block.text }
      : { type: "input_image", image_url: block.image_url.url, detail: "auto" }
  );
}

function toOutput(content: string | readonly ContentBlock[]): JsonValue {
  return typeof content === "string" ? content : toParts(content);
}
