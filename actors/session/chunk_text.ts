/**
 * A stretch of conversation as plain lines, for the model that sums it up and for the archive.
 * @module
 */

import type { ChatMessage, ContentBlock } from "../../providers/provider.ts";
import { estimateTextTokens } from "../../providers/tokens.ts";
import { RECALL_TOOL } from "../tools/recall.ts";
import { imagePlace } from "./message_line.ts";
import type { StoredMessage } from "./session_file.ts";

/** Characters of one message at most. */
interface Lengths {
  readonly said: number;
  /** Of what a tool gave. */
  readonly given: number;
}

/** The fewer the longer the whole is; the last is a line at most. */
const FOR_SUMMARY: readonly Lengths[] = [4_000, 1_200, 400, 120]
  .map((chars) => ({ said: chars, given: chars }));
/** What tools gave can be had again, and is foreign: a line tells what it was about. */
const FOR_ARCHIVE: readonly Lengths[] = [4_000, 1_200, 400, 120]
  .map((chars) => ({ said: chars, given: 120 }));
/** Of a call's arguments; what was asked for matters more than every detail of it. */
const ARGUMENTS_CHARS = 200;
/** `2026-01-02T03:04`, as nanobot writes it. */
const STAMP_CHARS = 16;
/** Of a text that is too long as a whole: what is kept from its beginning. */
const HEAD_SHARE = 0.5;

/** Who reads a stretch: a model that sums it up, or whoever finds it in the archive. */
export type ChunkReader = "summariser" | "archive";

/**
 * `[2026-01-02T03:04] USER: …`, a line for each message that says something, in at most about
 * `tokensMax` tokens: the longest messages are shortened first, and then the middle is left out.
 * What recall gave stands in memory already, and is left out: else memory fills with its own echo.
 */
export function chunkText(
  messages: readonly StoredMessage[],
  tokensMax: number,
  reader: ChunkReader = "summariser",
): string {
  let text = "";
  for (const lengths of reader === "archive" ? FOR_ARCHIVE : FOR_SUMMARY) {
    text = messages.flatMap((stored) => line(stored, lengths)).join("\n");
    if (estimateTextTokens(text) <= tokensMax) return text;
  }
  return withoutMiddle(text, tokensMax);
}

function line({ message, timestampMs }: StoredMessage, { said, given }: Lengths): string[] {
  if (isEcho(message)) return [];
  const words = shortened(wordsOf(message).trim(), message.role === "tool" ? given : said);
  if (words === "") return [];
  const stamp = timestampMs === null ? "?" : new Date(timestampMs).toISOString();
  const tool = message.role === "tool" ? ` ${message.name}` : "";
  const who = `${message.role.toUpperCase()}${tool}`;
  return [`[${stamp.slice(0, STAMP_CHARS)}] ${who}: ${words}`.toWellFormed()];
}

/** What recall gave. */
export function isEcho(message: ChatMessage): boolean {
  return message.role === "tool" && message.name === RECALL_TOOL;
}

/** A message as text, with the calls that it makes. */
export function wordsOf(message: ChatMessage): string {
  const said = textOf(message.content);
  if (message.role !== "assistant" || message.tool_calls === undefined) return said;
  const calls = message.tool_calls.filter(({ function: { name } }) => name !== RECALL_TOOL)
    .map(({ function: { name, arguments: args } }) =>
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
