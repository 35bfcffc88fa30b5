/**
 * The calls of the Web API that the channel makes; answers are checked at this door.
 * @module
 */

import type { z } from "zod";
import type { JsonObject, JsonValue } from "../../actors/kernel/json.ts";
import { SlackUnreachableError } from "./errors.ts";
import type { SlackCall, SlackLink } from "./link.ts";
import {
  channelsPageSchema,
  fileAnswerSchema,
  type Identity,
  identitySchema,
  messagesPageSchema,
  openedSchema,
  type Page,
  postedSchema,
  type SlackChannel,
  type SlackFile,
  type SlackMessage,
  type SlackUser,
  socketAddressSchema,
  uploadPlaceSchema,
  userAnswerSchema,
  usersPageSchema,
  whisperedSchema,
} from "./wire.ts";

/** What people wait for before their message is answered must not take long. */
const LOOKUP_TIMEOUT_MS = 5_000;
/** As Slack recommends for lists, and the most it gives without remarks for messages. */
const PAGE_ITEMS = 200;

/** A place for messages. */
export interface Place {
  readonly channel: string;
  /** The first message of the thread; undefined outside. */
  readonly threadTs: string | undefined;
}

/** What a message shows. */
export interface MessageBody {
  /** For notices and old clients, and all there is without blocks. */
  readonly text: string;
  /** Undefined: the text is shown as it is, without marks. */
  readonly blocks: readonly JsonObject[] | undefined;
}

/** A part of a conversation; instants are message ids. */
export interface HistoryQuery {
  readonly channel: string;
  /** Messages of its thread instead of the channel's own. */
  readonly threadTs?: string | undefined;
  /** What is after this one; "" for all. */
  readonly oldest: string;
  readonly cursor: string;
  readonly isWithMetadata?: boolean;
}

/** Slack's Web API. All methods throw what {@link SlackLink} throws. */
export class SlackApi {
  readonly #link: SlackLink;

  constructor(link: SlackLink) {
    this.#link = link;
  }

  /** Who the bot token belongs to. */
  identity(signal: AbortSignal): Promise<Identity> {
    return this.#call(identitySchema, { method: "auth.test", args: {} }, signal);
  }

  /** An address for one socket. */
  async socketAddress(signal: AbortSignal): Promise<string> {
    const call: SlackCall = { method: "apps.connections.open", args: {}, as: "app" };
    return (await this.#call(socketAddressSchema, call, signal)).url;
  }

  /** Sends a message; gives its id. @param key hangs on it, to find it by */
  async post(place: Place, body: MessageBody, key: string, signal: AbortSignal): Promise<string> {
    const args = {
      channel: place.channel,
      thread_ts: place.threadTs,
      ...shownAs(body),
      metadata: metadataOf(key),
      // What models write must not fetch addresses in the name of the workspace.
      unfurl_links: false,
      unfurl_media: false,
    };
    const call: SlackCall = { method: "chat.postMessage", args, isOnce: true };
    return (await this.#call(postedSchema, call, signal)).ts;
  }

  /** Changes a message. */
  async update(
    channel: string,
    ts: string,
    body: MessageBody,
    key: string,
    signal: AbortSignal,
  ): Promise<void> {
    // Where there were blocks, only blocks take their place.
    const args = { channel, ts, ...shownAs(body), metadata: metadataOf(key) };
    await this.#link.call({ method: "chat.update", args }, signal);
  }

  /** Deletes a message. */
  async remove(channel: string, ts: string, signal: AbortSignal): Promise<void> {
    await this.#link.call({ method: "chat.delete", args: { channel, ts } }, signal);
  }

  /** Sends a message that one person alone sees; gives its id, which nothing can be done with. */
  async whisper(
    channel: string,
    user: string,
    body: MessageBody,
    signal: AbortSignal,
  ): Promise<string> {
    const args = { channel, user, ...shownAs(body) };
    const call: SlackCall = { method: "chat.postEphemeral", args, isOnce: true };
    return (await this.#call(whisperedSchema, call, signal)).message_ts;
  }

  /** Uploads a file that nobody sees yet; gives its id. */
  async upload(
    file: { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> },
    signal: AbortSignal,
  ): Promise<string> {
    const args = { filename: file.name, length: file.bytes.length };
    const call: SlackCall = { method: "files.getUploadURLExternal", args };
    const { upload_url: url, file_id: id } = await this.#call(uploadPlaceSchema, call, signal);
    await this.#link.upload(url, file.bytes, signal);
    return id;
  }

  /** Shows an uploaded file. */
  async share(
    place: Place,
    file: { readonly id: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<void> {
    const args = {
      files: [{ id: file.id, title: file.name }],
      channel_id: place.channel,
      thread_ts: place.threadTs,
    };
    await this.#link.call({ method: "files.completeUploadExternal", args, isOnce: true }, signal);
  }

  /** Puts an emoji on a message. */
  async react(channel: string, ts: string, name: string, signal: AbortSignal): Promise<void> {
    const args = { channel, timestamp: ts, name };
    await this.#link.call({ method: "reactions.add", args }, signal);
  }

  /** Takes an emoji of ours from a message. */
  async unreact(channel: string, ts: string, name: string, signal: AbortSignal): Promise<void> {
    const args = { channel, timestamp: ts, name };
    await this.#link.call({ method: "reactions.remove", args }, signal);
  }

  /** The direct chat with a person; it is made if there is none. */
  async directChat(user: string, signal: AbortSignal): Promise<string> {
    const call: SlackCall = { method: "conversations.open", args: { users: user } };
    return (await this.#call(openedSchema, call, signal)).channel.id;
  }

  /** A page of messages: of a channel the newest first, of a thread the oldest first. */
  history(query: HistoryQuery, signal: AbortSignal): Promise<Page<SlackMessage>> {
    const { channel, threadTs, oldest, cursor, isWithMetadata = false } = query;
    return this.#ask(messagesPageSchema, {
      method: threadTs === undefined ? "conversations.history" : "conversations.replies",
      args: {
        channel,
        ts: threadTs,
        oldest: oldest || undefined,
        limit: PAGE_ITEMS,
        cursor: cursor || undefined,
        include_all_metadata: isWithMetadata,
      },
    }, signal);
  }

  /** A file, where its message says nothing but its id. */
  async file(id: string, signal: AbortSignal): Promise<SlackFile> {
    const call: SlackCall = { method: "files.info", args: { file: id } };
    return (await this.#ask(fileAnswerSchema, call, signal)).file;
  }

  /** A person. */
  async user(id: string, signal: AbortSignal): Promise<SlackUser> {
    const call: SlackCall = { method: "users.info", args: { user: id } };
    return (await this.#ask(userAnswerSchema, call, signal)).user;
  }

  /** A page of people. */
  users(cursor: string, signal: AbortSignal): Promise<Page<SlackUser>> {
    const args = { limit: PAGE_ITEMS, cursor: cursor || undefined };
    return this.#ask(usersPageSchema, { method: "users.list", args }, signal);
  }

  /** A page of channels that are not archived. */
  channels(cursor: string, signal: AbortSignal): Promise<Page<SlackChannel>> {
    return this.#ask(channelsPageSchema, {
      method: "conversations.list",
      args: {
        limit: PAGE_ITEMS,
        cursor: cursor || undefined,
        exclude_archived: true,
        types: "public_channel,private_channel",
      },
    }, signal);
  }

  /** A page of the direct chats that the bot has. */
  directChats(cursor: string, signal: AbortSignal): Promise<Page<SlackChannel>> {
    const args = { limit: PAGE_ITEMS, cursor: cursor || undefined, types: "im,mpim" };
    return this.#ask(channelsPageSchema, { method: "users.conversations", args }, signal);
  }

  #ask<T>(schema: z.ZodType<T>, call: SlackCall, signal: AbortSignal): Promise<T> {
    return this.#call(schema, { ...call, timeoutMs: LOOKUP_TIMEOUT_MS }, signal);
  }

  async #call<T>(schema: z.ZodType<T>, call: SlackCall, signal: AbortSignal): Promise<T> {
    const parsed = schema.safeParse(await this.#link.call(call, signal));
    if (parsed.success) return parsed.data;
    const reason = `the answer has an unknown shape (${parsed.error.issues.length} faults)`;
    throw new SlackUnreachableError(`call ${call.method}`, reason, { cause: parsed.error });
  }
}

/** Type of the metadata on our messages. */
export const PART_EVENT_TYPE = "troupe_part";

function metadataOf(key: string): JsonValue {
  return { event_type: PART_EVENT_TYPE, event_payload: { key } };
}

function shownAs({ text, blocks }: MessageBody): Readonly<Record<string, JsonValue>> {
  return blocks === undefined ? { text, mrkdwn: false, blocks: [] } : { text, blocks };
}
