/**
 * Content without what no vendor takes: blank parts, private fields, broken characters.
 * @module
 */

import type { ChatMessage, ContentBlock, ToolCall } from "../provider.ts";

/** Stands where a message must have text and has none. */
export const EMPTY_TEXT = "(empty)";

/** A message's content in any of its forms. */
export type Content = string | null | readonly ContentBlock[];

/** The message with clean content; only an assistant message with calls may have none. */
export function cleanMessage(message: ChatMessage): ChatMessage {
  switch (message.role) {
    case "system":
      return { role: "system", content: textOr(message.content, EMPTY_TEXT) };
    case "user":
      return { role: "user", content: cleanContent(message.content) };
    case "tool":
      return {
        role: "tool",
        tool_call_id: message.tool_call_id,
        name: message.name.toWellFormed(),
        content: cleanContent(message.content),
      };
    case "assistant": {
      const { tool_calls: calls = [], reasoning_content: reasoning, thinking_blocks } = message;
      const hasCalls = calls.length > 0;
      return {
        role: "assistant",
        content: textOr(message.content ?? "", hasCalls ? null : EMPTY_TEXT),
        ...(hasCalls && { tool_calls: calls.map(cleanCall) }),
        ...(reasoning !== undefined && { reasoning_content: reasoning.toWellFormed() }),
        ...(thinking_blocks !== undefined && { thinking_blocks }),
      };
    }
  }
}

/** Two contents, one after the other; nothing of either is lost. */
export function joinContent(
  first: string | readonly ContentBlock[],
  second: string | readonly ContentBlock[],
): string | readonly ContentBlock[] {
  if (isEmpty(first)) return second;
  if (isEmpty(second)) return first;
  if (typeof first === "string" && typeof second === "string") return `${first}\n\n${second}`;
  return [...asBlocks(first), ...asBlocks(second)];
}

/** Two texts with a blank line between; null counts as empty. */
export function joinText(first: string | null, second: string | null): string | null {
  if (first === null || first === EMPTY_TEXT) return second;
  if (second === null || second === EMPTY_TEXT) return first;
  return `${first}\n\n${second}`;
}

function isEmpty(content: Content): boolean {
  return content === EMPTY_TEXT;
}

function asBlocks(content: string | readonly ContentBlock[]): readonly ContentBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function cleanContent(
  content: string | readonly ContentBlock[],
): string | readonly ContentBlock[] {
  if (typeof content === "string") return textOr(content, EMPTY_TEXT);
  const blocks = content.flatMap((block): ContentBlock[] => {
    if (block.type === "image_url") {
      return [{ type: "image_url", image_url: { url: block.image_url.url } }];
    }
    return isBlank(block.text) ? [] : [{ type: "text", text: block.text.toWellFormed() }];
  });
  return blocks.length === 0 ? EMPTY_TEXT : blocks;
}

function textOr<Otherwise extends string | null>(
  text: string,
  otherwise: Otherwise,
): string | Otherwise {
  return isBlank(text) ? otherwise : text.toWellFormed();
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

function cleanCall(call: ToolCall): ToolCall {
  const { name, arguments: text } = call.function;
  return {
    id: call.id,
    type: "function",
    function: { name: name.toWellFormed(), arguments: text.toWellFormed() },
    ...(call.extra_content !== undefined && { extra_content: call.extra_content }),
  };
}
