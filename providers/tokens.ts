/**
 * How many tokens a text will be, roughly and fast: by classes of characters, without a
 * tokenizer. Off by some 20 % on prose and code; the vendor's own count corrects it afterwards.
 * @module
 */

import type { ChatMessage, ContentBlock, ToolDefinition } from "./provider.ts";

/** Tokens of one image, whatever its size: about a 1024-pixel square at the large vendors. */
export const TOKENS_PER_IMAGE = 1_200;

/** Tokens that a message costs besides its text. */
export const TOKENS_PER_MESSAGE = 4;

const ASCII_WEIGHT = 0.25;
const CJK_WEIGHT = 0.9;
const OTHER_WEIGHT = 0.5;

/** Tokens of a text. */
export function estimateTextTokens(text: string): number {
  let ascii = 0;
  let cjk = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) ascii++;
    else if (isCjk(unit)) cjk++;
  }
  const other = text.length - ascii - cjk;
  return Math.ceil(ascii * ASCII_WEIGHT + cjk * CJK_WEIGHT + other * OTHER_WEIGHT);
}

/** Tokens of a message with all that is sent along. */
export function estimateMessageTokens(message: ChatMessage): number {
  const content = estimateContentTokens(message.content);
  if (message.role === "tool") {
    return TOKENS_PER_MESSAGE + content + estimateTextTokens(message.name) +
      estimateTextTokens(message.tool_call_id);
  }
  if (message.role !== "assistant") return TOKENS_PER_MESSAGE + content;
  const calls = message.tool_calls === undefined
    ? 0
    : estimateTextTokens(JSON.stringify(message.tool_calls));
  return TOKENS_PER_MESSAGE + content + calls + estimateTextTokens(message.reasoning_content ?? "");
}

/** Tokens of a whole prompt. */
export function estimatePromptTokens(
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
): number {
  const spent = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  return tools.length === 0 ? spent : spent + estimateTextTokens(JSON.stringify(tools));
}

function estimateContentTokens(content: string | null | readonly ContentBlock[]): number {
  if (content === null) return 0;
  if (typeof content === "string") return estimateTextTokens(content);
  return content.reduce(
    (sum, block) =>
      sum + (block.type === "text" ? estimateTextTokens(block.text) : TOKENS_PER_IMAGE),
    0,
  );
}

/** Han, kana, hangul and the full-width forms between them. */
function isCjk(unit: number): boolean {
  return (unit >= 0x2e80 && unit <= 0x9fff) || (unit >= 0xac00 && unit <= 0xd7af) ||
    (unit >= 0xf900 && unit <= 0xfaff) || (unit >= 0xff00 && unit <= 0xffef);
}
