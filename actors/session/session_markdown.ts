/**
 * A conversation as a page that people can read.
 * @module
 */

import type { AssistantMessage, ChatMessage, ToolMessage } from "../../providers/provider.ts";
import { SET_ASIDE } from "./session_file.ts";
import type { FoundSession } from "./session_catalog.ts";
import type { StoredMessage } from "./session_file.ts";
import { imagePlace } from "./message_line.ts";
import { zonedTime } from "./runtime_context.ts";

/** Characters of one call's arguments or result; the file has the rest. */
const FOLDED_CHARS_MAX = 4_000;

/** The page; tool calls are folded away. */
export function sessionMarkdown(
  { key, content }: Pick<FoundSession, "key" | "content">,
  timezone: string,
): string {
  const { metadata, messages } = content;
  const created = metadata?.createdAtMs ?? null;
  const begun = created === null ? "" : `Begun ${zonedTime(created, timezone)}. `;
  const results = resultsByCall(messages);
  const said = messages.filter(({ message, extras }) =>
    message.role !== "tool" && message.role !== "system" && extras[SET_ASIDE] === undefined
  );
  const parts = said.map((stored) => messagePart(stored, results, timezone));
  return [`# ${key}`, `${begun}${messages.length} messages.`, ...parts].join("\n\n") + "\n";
}

/** Ids of calls may repeat in another answer: each has its results in order. */
function resultsByCall(messages: readonly StoredMessage[]): Map<string, ToolMessage[]> {
  const results = new Map<string, ToolMessage[]>();
  for (const { message } of messages) {
    if (message.role !== "tool") continue;
    const known = results.get(message.tool_call_id) ?? [];
    known.push(message);
    results.set(message.tool_call_id, known);
  }
  return results;
}

function messagePart(
  { message, timestampMs, extras }: StoredMessage,
  results: Map<string, ToolMessage[]>,
  timezone: string,
): string {
  const { sender_id: sender } = extras;
  const who = message.role === "assistant"
    ? "Assistant"
    : typeof sender === "string"
    ? `Person (${sender})`
    : "Person";
  const when = timestampMs === null ? "" : ` · ${zonedTime(timestampMs, timezone)}`;
  const calls = message.role === "assistant" ? callParts(message, results) : [];
  const text = textOf(message).trim();
  return [`## ${who}${when}`, ...(text === "" ? [] : [text]), ...calls].join("\n\n");
}

function callParts(
  { tool_calls: calls = [] }: AssistantMessage,
  results: Map<string, ToolMessage[]>,
): readonly string[] {
  return calls.map((call) => {
    const result = results.get(call.id)?.shift();
    const told = result === undefined ? "(no result)" : textOf(result);
    return [
      "<details>",
      `<summary>Tool: ${call.function.name.replaceAll(/[<&]/g, "")}</summary>`,
      fenced(call.function.arguments, "json"),
      fenced(told, ""),
      "</details>",
    ].join("\n\n");
  });
}

/** Behind a fence that the text does not hold. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const cut = text.length > FOLDED_CHARS_MAX
    ? `${text.slice(0, FOLDED_CHARS_MAX).toWellFormed()}\n[… ${
      text.length - FOLDED_CHARS_MAX
    } characters more]`
    : text;
  return `${fence}${language}\n${cut}\n${fence}`;
}

function textOf({ content }: ChatMessage): string {
  if (content === null) return "";
  if (typeof content === "string") return content;
  return content.map((block) => block.type === "text" ? block.text : imagePlace(block)).join("\n");
}
