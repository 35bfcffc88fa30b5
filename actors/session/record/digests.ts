/**
 * Digests of what a model was asked: two requests that have the same are the same.
 * @module
 */

import { createHash } from "node:crypto";
import type { ChatMessage, ChatRequest, ContentBlock } from "../../../providers/provider.ts";

/** Of an image so much is looked at from either end: it may have ten megabytes. */
const IMAGE_CHARS = 2_048;
/** In the place of an image's data: its mark. */
const MARK_PREFIX = "recorded:";

/** Of messages that were digested, which never change, with all that was said before them. */
const chains = new WeakMap<ChatMessage, { readonly before: string; readonly digest: string }>();

/** A short digest of a text. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

/** The digest of a request; system message and tools are told by theirs. */
export function requestDigest(request: ChatRequest, tools: string): string {
  const { model, messages, tokensMax, temperature, reasoningEffort, conversationId } = request;
  const settings = [model, tokensMax, temperature, reasoningEffort, conversationId, tools];
  return digestOf(JSON.stringify([settings, messages.length, messages.reduce(chained, "")]));
}

/** What tells an image from others: of one that is a mark, that. */
export function imageMark(base64: string): string {
  if (base64.startsWith(MARK_PREFIX)) return base64.slice(MARK_PREFIX.length);
  const ends = base64.slice(0, IMAGE_CHARS) + base64.slice(-IMAGE_CHARS);
  return `${base64.length}-${digestOf(ends)}`;
}

/** What stands for an image that is not kept. */
export function markedImage(mark: string): string {
  return MARK_PREFIX + mark;
}

/** The same content without the data of its images. */
export function withoutImages(
  content: string | readonly ContentBlock[],
): string | readonly ContentBlock[] {
  if (typeof content === "string") return content;
  return content.map((block) => block.type === "text" ? block : markedBlock(block));
}

function markedBlock(
  block: Extract<ContentBlock, { readonly type: "image_url" }>,
): ContentBlock {
  const { url } = block.image_url;
  const at = url.indexOf(",") + 1;
  return {
    ...block,
    image_url: { url: url.slice(0, at) + markedImage(imageMark(url.slice(at))) },
  };
}

/** The digest of a message behind others: what came before it is known by its own. */
function chained(before: string, message: ChatMessage): string {
  const known = chains.get(message);
  if (known?.before === before) return known.digest;
  const { content } = message;
  const plain = content === null ? message : { ...message, content: withoutImages(content) };
  const digest = digestOf(before + JSON.stringify(plain));
  chains.set(message, { before, digest });
  return digest;
}
