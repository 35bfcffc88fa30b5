/**
 * Images in a conversation, and the conversation without them.
 * @module
 */

import type { ChatMessage, ChatRequest, ContentBlock } from "./provider.ts";

/** Stands for an image that was left out. It names no path: the model would make up what is there. */
export const OMITTED_IMAGE = "[Image not delivered to model — do not describe or reference it]";

/** Whether any message holds an image. */
export function hasImages(messages: readonly ChatMessage[]): boolean {
  return messages.some(({ content }) =>
    Array.isArray(content) && content.some(({ type }) => type === "image_url")
  );
}

/** The request with each image replaced by a remark. */
export function withoutImages(request: ChatRequest): ChatRequest {
  return { ...request, messages: request.messages.map(withoutImagesIn) };
}

function withoutImagesIn(message: ChatMessage): ChatMessage {
  if (message.role !== "user" && message.role !== "tool") return message;
  if (typeof message.content === "string") return message;
  return { ...message, content: message.content.map(withoutImage) };
}

function withoutImage(block: ContentBlock): ContentBlock {
  return block.type === "image_url" ? { type: "text", text: OMITTED_IMAGE } : block;
}
