/**
 * Messages as a line holds them: without images when written, and with patience for what other
 * programs wrote when read.
 * @module
 */

import { z } from "zod";
import type { ChatMessage, ContentBlock, ImageBlock } from "../../providers/provider.ts";
import type { JsonObject } from "../kernel/json.ts";

/** A message and the fields of its line that do not belong to it. */
export interface DecodedMessage {
  readonly message: ChatMessage;
  readonly rest: JsonObject;
}

const jsonObject = z.record(z.string(), z.json());

const textBlock = z.object({ type: z.literal("text"), text: z.string() });
const imageBlock = z.object({
  type: z.literal("image_url"),
  image_url: z.object({ url: z.string() }),
  _meta: z.object({ path: z.string() }).exactOptional(),
});
/** Blocks of kinds that we do not know become a note, so that their message stays. */
const otherBlock = z.looseObject({ type: z.string() }).transform(
  ({ type }): ContentBlock => ({ type: "text", text: `[${type}]` }),
);
const content = z.union([
  z.string(),
  z.array(z.union([textBlock, imageBlock, otherBlock])).readonly(),
]);

const toolCall = z.object({
  id: z.string(),
  type: z.literal("function").catch("function"),
  function: z.object({
    name: z.string(),
    arguments: z.union([z.string(), jsonObject.transform((value) => JSON.stringify(value))]),
  }),
  extra_content: jsonObject.exactOptional(),
});

const message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: z.string() }),
  z.object({ role: z.literal("user"), content: content.nullish().transform((c) => c ?? "") }),
  z.object({
    role: z.literal("assistant"),
    content: content.nullish().transform(asText),
    tool_calls: z.array(toolCall).readonly().nullish(),
    reasoning_content: z.string().nullish(),
    thinking_blocks: z.array(jsonObject).readonly().nullish(),
  }),
  z.object({
    role: z.literal("tool"),
    tool_call_id: z.string().nullish().transform((id) => id ?? ""),
    name: z.string().nullish().transform((name) => name ?? "tool"),
    content: content.nullish().transform((c) => c ?? ""),
  }),
]);

const FIELDS_OF_MESSAGES = new Set([
  "role",
  "content",
  "tool_calls",
  "tool_call_id",
  "name",
  "reasoning_content",
  "thinking_blocks",
]);

/** Fields of an assistant's message that does more than say words. */
const ASSISTANT_EXTRAS = ["tool_calls", "reasoning_content", "thinking_blocks"] as const;

/** The message in a line's fields; null when they hold none. */
export function decodeMessage(fields: JsonObject): DecodedMessage | null {
  const decoded = plainMessage(fields) ?? readMessage(fields);
  if (decoded === null) return null;
  const rest = Object.entries(fields).filter(([name]) => !FIELDS_OF_MESSAGES.has(name));
  return { message: decoded, rest: Object.fromEntries(rest) };
}

/**
 * The message of nothing but words that a line holds, as most do; null where only reading can tell
 * what it holds.
 */
export function plainMessage(fields: JsonObject): ChatMessage | null {
  const { role, content } = fields;
  if (typeof content !== "string") return null;
  if (role === "user") return { role, content };
  const isPlain = role === "assistant" && ASSISTANT_EXTRAS.every((name) => !(name in fields));
  return isPlain ? { role, content } : null;
}

function readMessage(fields: JsonObject): ChatMessage | null {
  const parsed = message.safeParse(fields);
  return parsed.success ? withoutBlanks(parsed.data) : null;
}

/** The message as it is stored: images, which are large, become the place where they are. */
export function storable(message: ChatMessage): ChatMessage {
  if (message.role === "system" || message.role === "assistant") return message;
  const { content } = message;
  if (typeof content === "string") return message;
  if (content.every((block) => block.type === "text")) return message;
  const texts = content.map((block): ContentBlock =>
    block.type === "text" ? block : { type: "text", text: imagePlace(block) }
  );
  return { ...message, content: texts };
}

/** What stands where an image was. */
export function imagePlace({ _meta }: ImageBlock): string {
  return _meta === undefined ? "[image]" : `[image: ${_meta.path.replaceAll(/[\r\n]+/g, " ")}]`;
}

/** An assistant's fields that are null or empty are left out. */
function withoutBlanks(parsed: z.infer<typeof message>): ChatMessage {
  if (parsed.role !== "assistant") return parsed;
  const { tool_calls: calls, reasoning_content: reasoning, thinking_blocks: thinking } = parsed;
  return {
    role: "assistant",
    content: parsed.content,
    ...(calls && calls.length > 0 && { tool_calls: calls }),
    ...(typeof reasoning === "string" && { reasoning_content: reasoning }),
    ...(thinking && thinking.length > 0 && { thinking_blocks: thinking }),
  };
}

function asText(value: string | readonly ContentBlock[] | null | undefined): string | null {
  if (value === null || value === undefined || typeof value === "string") return value ?? null;
  return value.map((block) => block.type === "text" ? block.text : imagePlace(block)).join("\n");
}
