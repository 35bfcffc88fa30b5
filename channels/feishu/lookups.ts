/**
 * The platform's REST calls that only read; answers are checked at this door.
 * @module
 */

import type { z } from "zod";
import { messagePath, parseAnswer } from "./api.ts";
import type { FeishuLink, FeishuRequest, TakeFile } from "./link.ts";
import {
  answerSchema,
  type MembersPage,
  membersSchema,
  type MessagesPage,
  messagesSchema,
  type StoredMessage,
} from "./wire.ts";

/** What people wait for before their message is answered must not take long. */
const LOOKUP_TIMEOUT_MS = 5_000;
/** How long a download of up to 100 MB may take. */
const DOWNLOAD_TIMEOUT_MS = 300_000;
const MESSAGES_PER_PAGE = "50";
const MEMBERS_PER_PAGE = "100";

/** Which part of a conversation is asked for; instants are epoch milliseconds. */
export interface HistoryPage {
  readonly kind: "chat" | "thread";
  readonly id: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly pageToken: string;
}

/** Looks things up for one app. All methods throw what {@link FeishuLink} throws. */
export class Lookups {
  readonly #link: FeishuLink;

  constructor(link: FeishuLink) {
    this.#link = link;
  }

  /** A message, and behind it, if it is a forwarded bundle, those in it. */
  async messages(messageId: string, signal: AbortSignal): Promise<readonly StoredMessage[]> {
    const request: FeishuRequest = {
      method: "GET",
      path: messagePath(messageId),
      timeoutMs: LOOKUP_TIMEOUT_MS,
    };
    return (await this.#get(messagesSchema, request, signal)).items;
  }

  /** A page of what was said in a chat or topic, oldest first. @param page `pageToken` "" at first */
  async history(page: HistoryPage, signal: AbortSignal): Promise<MessagesPage> {
    const { kind, id, fromMs, toMs, pageToken } = page;
    const request: FeishuRequest = {
      method: "GET",
      path: "/open-apis/im/v1/messages",
      query: {
        container_id_type: kind,
        container_id: id,
        // A topic is always given whole.
        ...(kind === "chat" && {
          start_time: String(Math.floor(fromMs / 1_000)),
          end_time: String(Math.ceil(toMs / 1_000)),
        }),
        sort_type: "ByCreateTimeAsc",
        page_size: MESSAGES_PER_PAGE,
        ...(pageToken !== "" && { page_token: pageToken }),
      },
      timeoutMs: LOOKUP_TIMEOUT_MS,
    };
    return await this.#get(messagesSchema, request, signal);
  }

  /** A page of a group's members. @param pageToken "" for the first page */
  async members(chatId: string, pageToken: string, signal: AbortSignal): Promise<MembersPage> {
    const request: FeishuRequest = {
      method: "GET",
      path: `/open-apis/im/v1/chats/${encodeURIComponent(chatId)}/members`,
      query: {
        member_id_type: "open_id",
        page_size: MEMBERS_PER_PAGE,
        ...(pageToken !== "" && { page_token: pageToken }),
      },
      timeoutMs: LOOKUP_TIMEOUT_MS,
    };
    return await this.#get(membersSchema, request, signal);
  }

  /** The bytes of a file that a message holds; the platform knows pictures, and files of any kind. */
  async download<T>(
    resource: { readonly messageId: string; readonly key: string; readonly type: "image" | "file" },
    take: TakeFile<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const { messageId, key, type } = resource;
    return await this.#link.download(
      {
        method: "GET",
        path: `${messagePath(messageId)}/resources/${encodeURIComponent(key)}`,
        query: { type },
        timeoutMs: DOWNLOAD_TIMEOUT_MS,
      },
      take,
      signal,
    );
  }

  async #get<Data>(
    schema: z.ZodType<Data>,
    request: FeishuRequest,
    signal: AbortSignal,
  ): Promise<Data> {
    const answer = parseAnswer(answerSchema, await this.#link.request(request, signal), request);
    return parseAnswer(schema, answer.data, request);
  }
}
