/**
 * A stretch of conversation as plain lines, for the model that sums it up and for the archive.
 * @module
 */

import type { ChatMessage, ContentBlock } from "../../providers/provider.ts";
import { estimateTextTokens } from "../../providers/tokens.ts";
import { imagePlace } from "./message_line.ts";
import type { StoredMessage } from "./session_file.ts";

/** Characters of one message, the fewer the longer the whole is; the last is a line at most. */
const MESSAGE_CHARS = [4_000, 1_200, 400, 120] as const;
/** Of a call's arguments; what was asked for matters more than every detail of it. */
const ARGUMENTS_CHARS = 200;
/** `2026-01-02T03:04`, as nanobot writes it. */
const STAMP_CHARS = 16;
/** Of a text that is too long as a whole: what is kept from its beginning. */
const HEAD_SHARE = 0.5;

/**
 * `[2026-01-02T03:04] USER: …`, a line for each message that says something, in at most about
 * `tokensMax` tokens: the longest messages are shortened first, and then the middle is left out.
 */
export function chunkText(messages: readonly StoredMessage[], tokensMax: number): string {
  let text = "";
  for (const charsMax of MESSAGE_CHARS) {
    text = messages.flatMap((stored) => line(stored, charsMax)).join("\n");
    if (estimateTextTokens(text) <= tokensMax) return text;
  }
  return withoutMiddle(text, tokensMax);
}

function line({ message, timestampMs }: StoredMessage, charsMax: number): string[] {
  const words = shortened(wordsOf(message).trim(), charsMax);
  if (words === "") return [];
  const stamp = timestampMs === null ? "?" : new Date(timestampMs).toISOString();
  const tool = message.role === "tool" ? ` ${message.name}` : "";
  const who = `${message.role.toUpperCase()}${tool}`;
  return [`[${stamp.slice(0, STAMP_CHARS)}] ${who}: ${words}`.toWellFormed()];
}

function wordsOf(message: ChatMessage): string {
  const said = textOf(message.content);
  if (message.role !== "assistant" || message.tool_calls === undefined) return said;
  const calls = message.tool_calls.map(({ function: { name, arguments: args } }) =>
    `[calls ${name} ${shortened(args, ARGUMENTS_CHARS)}]`
  );
  return [said, ...calls].filter((part) => part !== "").join(" ");
}

function textOf(content: string | null | readonly ContentBlock[]): string {
  if (content === null || typeof content === "string") return content ?? "";
  return content.map((block) => block.type === "text" ? block.text : imagePlace(block)).join(" ");
}

function shortened(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const tail = Math.floor(charsMax / 4);
  const head = text.slice(0, charsMax - tail).toWellFormed();
  return `${head} [… ${text.length - charsMax} characters …] ${text.slice(-tail).toWellFormed()}`;
}

function withoutMiddle(text: string, tokensMax: number): string {
  const share = tokensMax / Math.max(1, estimateTextTokens(text));
  const charsMax = Math.max(0, Math.floor(text.length * share));
  const head = text.slice(0, Math.floor(charsMax * HEAD_SHARE)).toWellFormed();
  const tail = text.slice(text.length - (charsMax - head.length)).toWellFormed();
  return `${head}\n[… ${text.length - charsMax} characters left out …]\n${tail}`;
}
