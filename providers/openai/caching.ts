/**
 * Marks how far a prompt is the same as in the next request, for vendors that cache Claude's
 * prompts on request. Four marks are the most they take; these are at most four.
 * @module
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../../actors/kernel/json.ts";
import { lastOwnTool, MARK } from "../messages/cache_marks.ts";

/** Marks the standing instructions and the last message: the next request begins with both. */
export function markMessages(messages: readonly JsonObject[]): readonly JsonObject[] {
  const last = messages.findLastIndex((message) => canCarry(message["content"]));
  return messages.map((message, index) => {
    const isMarked = index === last || (index === 0 && message["role"] === "system");
    return isMarked ? { ...message, content: markContent(message["content"]) } : message;
  });
}

/** Marks the last tool of our own, which rarely change, and the last of all. */
export function markTools(tools: readonly JsonObject[]): readonly JsonObject[] {
  const own = lastOwnTool(tools.map(nameOf));
  return tools.map((tool, index) =>
    index === own || index === tools.length - 1 ? { ...tool, ...MARK } : tool
  );
}

/** Only text or an image can carry a mark. */
function canCarry(content: JsonValue | undefined): boolean {
  return (typeof content === "string" && content !== "") || isFilledList(content);
}

function markContent(content: JsonValue | undefined): JsonValue {
  if (typeof content === "string") return [{ type: "text", text: content, ...MARK }];
  if (!isFilledList(content)) return content ?? null;
  return content.map((block, index) =>
    index === content.length - 1 && isObject(block) ? { ...block, ...MARK } : block
  );
}

function nameOf(tool: JsonObject): string {
  const called = tool["function"];
  const name = isObject(called) ? called["name"] : undefined;
  return typeof name === "string" ? name : "";
}

function isFilledList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return isList(value) && value.length > 0;
}
