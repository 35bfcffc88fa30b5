/**
 * Marks how far a prompt is the same as in the next request. Four marks are the most that are
 * taken; these are at most four.
 * @module
 */

import type { JsonObject } from "../../actors/kernel/json.ts";
import { lastOwnTool, MARK } from "../messages/cache_marks.ts";
import type { WireConversation, WireMessage } from "./wire_messages.ts";

/** Blocks that can carry a mark; thinking cannot. */
const MARKABLE: ReadonlySet<unknown> = new Set(["text", "image", "tool_use", "tool_result"]);

/** Marks the standing instructions and the last message: the next request begins with both. */
export function markConversation({ system, messages }: WireConversation): WireConversation {
  const last = messages.findLastIndex(({ content }) => content.some(isMarkable));
  return {
    system: markLast(system),
    messages: messages.map((message, index): WireMessage =>
      index === last ? { ...message, content: markLast(message.content) } : message
    ),
  };
}

/** Marks the last tool of our own, which rarely change, and the last of all. */
export function markTools(tools: readonly JsonObject[]): readonly JsonObject[] {
  const own = lastOwnTool(tools.map(({ name }) => String(name)));
  return tools.map((tool, index) =>
    index === own || index === tools.length - 1 ? { ...tool, ...MARK } : tool
  );
}

function markLast(blocks: readonly JsonObject[]): readonly JsonObject[] {
  const last = blocks.findLastIndex(isMarkable);
  return blocks.map((block, index) => index === last ? { ...block, ...MARK } : block);
}

function isMarkable(block: JsonObject): boolean {
  return MARKABLE.has(block["type"]) && block["text"] !== "";
}
