/**
 * The platform's REST calls by what they do; answers are checked at this door.
 * @module
 */

import type { z } from "zod";
import { FeishuUnreachableError } from "./errors.ts";
import type { FeishuLink, FeishuRequest, UploadForm } from "./link.ts";
import {
  answerSchema,
  type BotInfo,
  botInfoSchema,
  cardSchema,
  fileSchema,
  imageSchema,
  reactionSchema,
  sentMessageSchema,
} from "./wire.ts";

/** A message body: `content` is JSON text whose shape depends on `msgType`. */
export interface MessageBody {
  readonly msgType: "text" | "post" | "interactive" | "image" | "file" | "audio" | "media";
  readonly content: string;
}

/** How long an upload of up to 30 MB may take. */
const UPLOAD_TIMEOUT_MS = 120_000;

/** Calls of one app. All methods throw what {@link FeishuLink.request} throws. */
export class FeishuApi {
  readonly #link: FeishuLink;

  constructor(link: FeishuLink) {
    this.#link = link;
  }

  /** Who the bot is. */
  async bot(signal: AbortSignal): Promise<BotInfo> {
    const request: FeishuRequest = { method: "GET", path: "/open-apis/bot/v3/info" };
    return parseAnswer(botInfoSchema, await this.#link.request(request, signal), request);
  }

  /**
   * Sends a message to a chat or person.
   *
   * @param uuid the same value within an hour sends only once
   * @returns the message's id
   */
  async createMessage(
    receiveId: string,
    message: MessageBody & { readonly uuid: string },
    signal: AbortSignal,
  ): Promise<string> {
    const { msgType, content, uuid } = message;
    const sent = await this.#call(sentMessageSchema, {
      method: "POST",
      path: "/open-apis/im/v1/messages",
      query: { receive_id_type: receiveId.startsWith("oc_") ? "chat_id" : "open_id" },
      body: { receive_id: receiveId, msg_type: msgType, content, uuid },
    }, signal);
    return sent.message_id;
  }

  /** Answers a message, in its topic if wanted. @returns the new message's id */
  async replyMessage(
    messageId: string,
    message: MessageBody & { readonly uuid: string; readonly isInTopic: boolean },
    signal: AbortSignal,
  ): Promise<string> {
    const { msgType, content, uuid, isInTopic } = message;
    const sent = await this.#call(sentMessageSchema, {
      method: "POST",
      path: `${messagePath(messageId)}/reply`,
      body: { msg_type: msgType, content, uuid, ...(isInTopic && { reply_in_thread: true }) },
    }, signal);
    return sent.message_id;
  }

  /** Replaces the card of a message of ours, which was sent as JSON. */
  async patchCard(messageId: string, cardJson: string, signal: AbortSignal): Promise<void> {
    const body = { content: cardJson };
    await this.#link.request({ method: "PATCH", path: messagePath(messageId), body }, signal);
  }

  /** Takes a message of ours back. */
  async deleteMessage(messageId: string, signal: AbortSignal): Promise<void> {
    await this.#link.request({ method: "DELETE", path: messagePath(messageId) }, signal);
  }

  /** Adds a reaction. @returns its id */
  async addReaction(messageId: string, emoji: string, signal: AbortSignal): Promise<string> {
    const reaction = await this.#call(reactionSchema, {
      method: "POST",
      path: `${messagePath(messageId)}/reactions`,
      body: { reaction_type: { emoji_type: emoji } },
    }, signal);
    return reaction.reaction_id;
  }

  async deleteReaction(messageId: string, reactionId: string, signal: AbortSignal): Promise<void> {
    const path = `${messagePath(messageId)}/reactions/${encodeURIComponent(reactionId)}`;
    await this.#link.request({ method: "DELETE", path }, signal);
  }

  /** Makes a card entity, which can be sent once. @returns its id */
  async createCard(cardJson: string, signal: AbortSignal): Promise<string> {
    const card = await this.#call(cardSchema, {
      method: "POST",
      path: "/open-apis/cardkit/v1/cards",
      body: { type: "card_json", data: cardJson },
    }, signal);
    return card.card_id;
  }

  /** Replaces the whole text of a card's element. */
  async updateCardText(
    card: CardOperation & { readonly elementId: string; readonly text: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { cardId, elementId, text, sequence, uuid } = card;
    await this.#link.request({
      method: "PUT",
      path: `${cardPath(cardId)}/elements/${encodeURIComponent(elementId)}/content`,
      body: { content: text, sequence, uuid },
    }, signal);
  }

  /** Replaces all that a card is. @param card `cardJson` is JSON 2.0 */
  async replaceCard(
    card: CardOperation & { readonly cardJson: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { cardId, cardJson, sequence, uuid } = card;
    const body = { card: { type: "card_json", data: cardJson }, sequence, uuid };
    await this.#link.request({ method: "PUT", path: cardPath(cardId), body }, signal);
  }

  /** Changes a card's settings. @param card `settings` is merged into the card's `config` */
  async updateCardSettings(
    card: CardOperation & { readonly settings: Readonly<Record<string, unknown>> },
    signal: AbortSignal,
  ): Promise<void> {
    const { cardId, settings, sequence, uuid } = card;
    await this.#link.request({
      method: "PATCH",
      path: `${cardPath(cardId)}/settings`,
      body: { settings: JSON.stringify({ config: settings }), sequence, uuid },
    }, signal);
  }

  /** Uploads a picture. @returns its key */
  async uploadImage(file: UploadFile, signal: AbortSignal): Promise<string> {
    const form: UploadForm = { fields: { image_type: "message" }, fileField: "image", ...file };
    const image = await this.#upload(imageSchema, "/open-apis/im/v1/images", form, signal);
    return image.image_key;
  }

  /** Uploads a file. @param file `durationMs` of sound and video @returns its key */
  async uploadFile(
    file: UploadFile & { readonly fileType: string; readonly durationMs?: number | undefined },
    signal: AbortSignal,
  ): Promise<string> {
    const { fileType, fileName, bytes, durationMs } = file;
    const duration = durationMs === undefined ? {} : { duration: String(durationMs) };
    const fields = { file_type: fileType, file_name: fileName, ...duration };
    const form: UploadForm = { fields, fileField: "file", fileName, bytes };
    const uploaded = await this.#upload(fileSchema, "/open-apis/im/v1/files", form, signal);
    return uploaded.file_key;
  }

  #upload<Data>(
    schema: z.ZodType<Data>,
    path: string,
    form: UploadForm,
    signal: AbortSignal,
  ): Promise<Data> {
    return this.#call(schema, { method: "POST", path, form, timeoutMs: UPLOAD_TIMEOUT_MS }, signal);
  }

  async #call<Data>(
    schema: z.ZodType<Data>,
    request: FeishuRequest,
    signal: AbortSignal,
  ): Promise<Data> {
    const answer = parseAnswer(answerSchema, await this.#link.request(request, signal), request);
    return parseAnswer(schema, answer.data, request);
  }
}

/** What every change of a card carries. */
export interface CardOperation {
  readonly cardId: string;
  /** Strictly rising over all operations of the card. */
  readonly sequence: number;
  /** The same operation under the same value is done once. */
  readonly uuid: string;
}

/** A file's bytes and the name people see. */
export interface UploadFile {
  readonly fileName: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The path of a message. */
export function messagePath(messageId: string): string {
  return `/open-apis/im/v1/messages/${encodeURIComponent(messageId)}`;
}

function cardPath(cardId: string): string {
  return `/open-apis/cardkit/v1/cards/${encodeURIComponent(cardId)}`;
}

/**
 * `value` as what the answer to `request` must be.
 *
 * @throws {FeishuUnreachableError} when it is something else
 */
export function parseAnswer<Data>(
  schema: z.ZodType<Data>,
  value: unknown,
  request: FeishuRequest,
): Data {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new FeishuUnreachableError(
    `read the answer to ${request.method} ${request.path}`,
    "it has an unknown shape",
    { cause: parsed.error },
  );
}
