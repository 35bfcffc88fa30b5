/**
 * What a received message says, as text. Kinds that are not read yet become a placeholder.
 * @module
 */

import { z } from "zod";
import { decodeJson, type Mention } from "../wire.ts";
import { readPost } from "./post.ts";

const fieldsSchema = z.record(z.string(), z.unknown());

/** Words for a kind, and the field that says more about it. */
interface Placeholder {
  readonly words: string;
  readonly field?: string;
}

const PLACEHOLDERS: ReadonlyMap<string, Placeholder> = new Map([
  ["image", { words: "image" }],
  ["audio", { words: "audio" }],
  ["file", { words: "file", field: "file_name" }],
  ["folder", { words: "folder", field: "file_name" }],
  ["media", { words: "media", field: "file_name" }],
  ["sticker", { words: "sticker" }],
  ["share_chat", { words: "shared chat", field: "chat_id" }],
  ["share_user", { words: "shared user", field: "user_id" }],
  ["share_calendar_event", { words: "shared calendar event", field: "summary" }],
  ["calendar", { words: "calendar event", field: "summary" }],
  ["general_calendar", { words: "calendar event", field: "summary" }],
  ["location", { words: "location", field: "name" }],
  ["video_chat", { words: "video meeting", field: "topic" }],
  ["vote", { words: "vote", field: "topic" }],
  ["system", { words: "system message" }],
  ["merge_forward", { words: "merged forward messages" }],
]);

/**
 * The text of a message, mentions still as their placeholders.
 *
 * @param messageType the platform's `message_type`
 * @param content JSON text; what is no JSON counts as empty
 */
export function readContent(
  messageType: string,
  content: string,
  mentions: readonly Mention[],
): string {
  const decoded = decodeJson(content);
  const fields = fieldsSchema.safeParse(decoded).data ?? {};
  switch (messageType) {
    case "text":
      return textField(fields, "text");
    case "post":
      return readPost(decoded, new Set(mentions.map((mention) => mention.key)));
    default:
      return placeholderOf(messageType, fields);
  }
}

function placeholderOf(messageType: string, fields: Record<string, unknown>): string {
  const { words, field } = PLACEHOLDERS.get(messageType) ??
    { words: messageType || "message", field: undefined };
  const detail = field === undefined ? "" : textField(fields, field);
  return detail === "" ? `[${words}]` : `[${words}: ${detail}]`;
}

function textField(fields: Record<string, unknown>, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}
