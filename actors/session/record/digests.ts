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

/** A short digest of a text. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

/**
 * Digests of requests, one after the other: each message is digested behind those before it, so
 * that what a request has in common with the last one, most of it, is not read again.
 */
export class RequestDigests {
  /** Of the last request, up to the first that holds images: these are not kept for its sake. */
  #messages: readonly ChatMessage[] = [];
  /** Of each message behind those before it. */
  #digests: string[] = [];

  /** The digest of a request; its tools are told by theirs. */
  of(request: ChatRequest, tools: string): string {
    const { model, messages, tokensMax, temperature, reasoningEffort, conversationId } = request;
    const settings = [model, tokensMax, temperature, reasoningEffort, conversationId, tools];
    const last = this.#ofMessages(messages);
    return digestOf(JSON.stringify([settings, messages.length, last]));
  }

  #ofMessages(messages: readonly ChatMessage[]): string {
    const other = messages.findIndex((message, index) => message !== this.#messages[index]);
    const known = Math.min(other === -1 ? messages.length : other, this.#digests.length);
    const digests = this.#digests.slice(0, known);
    for (const message of messages.slice(known)) {
      digests.push(digestOf((digests.at(-1) ?? "") + plainText(message)));
    }
    const image = messages.findIndex(({ content }) => Array.isArray(content));
    const kept = image === -1 ? messages.length : image;
    this.#messages = messages.slice(0, kept);
    this.#digests = digests.slice(0, kept);
    return digests.at(-1) ?? "";
  }
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

/** A message as text, without the data of its images. */
function plainText(message: ChatMessage): string {
  const { content } = message;
  return JSON.stringify(
    content === null ? message : { ...message, content: withoutImages(content) },
  );
}
