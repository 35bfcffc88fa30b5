/**
 * The platform's calls, each with a token that is good.
 * @module
 */

import type { Clock } from "../../actors/kernel/clock.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import { AccessToken } from "../access_token.ts";
import { isStaleToken, QqUnreachableError } from "./errors.ts";
import type { QqLink, QqRequest } from "./link.ts";
import type { Place } from "./send/place.ts";
import { gatewaySchema, sentSchema, uploadedSchema } from "./wire.ts";

/** By what a message is known for one that was sent before. */
export interface Answering {
  /** The message that is answered; null for one that answers nothing. */
  readonly messageId: string | null;
  /** Tells the answers of one message apart. */
  readonly sequence: number;
}

/** What a message consists of. */
export type MessageBody =
  | { readonly kind: "text"; readonly text: string; readonly isMarkdown: boolean }
  | { readonly kind: "file"; readonly fileInfo: string };

/** A file as the platform takes it: 1 a picture, 2 a video, 3 a voice, 4 any other. */
export type FileType = 1 | 2 | 3 | 4;

/** A file to upload. */
export interface Upload {
  readonly type: FileType;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What calls need. */
export interface QqApiOptions {
  readonly link: QqLink;
  readonly clock: Clock;
  /** Ends the fetching of tokens. */
  readonly signal: AbortSignal;
}

/** One bot's calls. */
export class QqApi {
  readonly #link: QqLink;
  readonly #token: AccessToken;

  constructor({ link, clock, signal }: QqApiOptions) {
    this.#link = link;
    this.#token = new AccessToken({
      clock,
      signal,
      fetch: (ending) => link.lendToken(ending),
    });
  }

  /** A token for the gateway. @throws {QqCredentialsError} when the platform does not know the bot */
  token(signal: AbortSignal): Promise<string> {
    return this.#token.get(signal);
  }

  /** The gateway does not take this token. */
  invalidate(token: string): void {
    this.#token.invalidate(token);
  }

  /** Where events come. */
  async gatewayUrl(signal: AbortSignal): Promise<string> {
    const answer = await this.#call({ method: "GET", path: "/gateway" }, signal);
    const gateway = gatewaySchema.safeParse(answer).data;
    if (gateway === undefined) throw unreadable("find the gateway");
    return gateway.url;
  }

  /** Sends a message. @returns its id */
  async send(
    place: Place,
    body: MessageBody,
    answering: Answering,
    signal: AbortSignal,
  ): Promise<string> {
    const path = `${place.path}/messages`;
    const request = { method: "POST", path, body: messageIn(place, body, answering) } as const;
    const sent = sentSchema.safeParse(await this.#call(request, signal)).data;
    if (sent === undefined) throw unreadable("send a message");
    return sent.id;
  }

  /** Uploads a file, which nobody sees yet. @returns by what a message names it */
  async upload(
    { path, kind }: Place,
    { type, name, bytes }: Upload,
    signal: AbortSignal,
  ): Promise<string> {
    const answer = await this.#call({
      method: "POST",
      path: `${path}/files`,
      isLarge: true,
      body: {
        file_type: type,
        file_data: bytes.toBase64(),
        srv_send_msg: false,
        ...(type === 4 && { file_name: name }),
      },
    }, signal);
    const uploaded = uploadedSchema.safeParse(answer).data;
    if (uploaded === undefined) throw unreadable(`upload a file to a ${kind} chat`);
    return uploaded.file_info;
  }

  #call(request: Omit<QqRequest, "token">, signal: AbortSignal): Promise<unknown> {
    return this.#token.use(
      (token) => this.#link.request({ ...request, token }, signal),
      isStaleToken,
      signal,
    );
  }
}

function messageIn(
  { kind }: Place,
  body: MessageBody,
  { messageId, sequence }: Answering,
): JsonObject {
  const answered = messageId === null ? {} : { msg_id: messageId };
  const numbered = messageId === null ? {} : { msg_id: messageId, msg_seq: sequence };
  if (body.kind === "file") {
    // The platform wants some text beside a file.
    return { msg_type: 7, content: " ", media: { file_info: body.fileInfo }, ...numbered };
  }
  const { text, isMarkdown } = body;
  // Guilds have an API of their own, which numbers nothing.
  if (kind === "direct") {
    return { ...(isMarkdown ? { markdown: { content: text } } : { content: text }), ...answered };
  }
  return isMarkdown
    ? { msg_type: 2, markdown: { content: text }, ...numbered }
    : { msg_type: 0, content: text, ...numbered };
}

function unreadable(action: string): QqUnreachableError {
  return new QqUnreachableError(action, { reason: "the answer cannot be read", isInDoubt: true });
}
