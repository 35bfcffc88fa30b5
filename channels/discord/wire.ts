/**
 * Messages and the places they stand in, as far as the channel uses them, in the platform's
 * spelling.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../actors/kernel/json.ts";

/** Text; absent and null mean the same on most of this wire. */
export const optionalText: z.ZodType<string> = z.string().nullish()
  .transform((value) => value ?? "");
/** An id, or null. */
export const optionalId: z.ZodType<string | null> = z.string().nullish()
  .transform((value) => value ?? null);

/** A list that may be absent. */
export function listOf<T>(item: z.ZodType<T>): z.ZodType<readonly T[]> {
  return z.array(item).nullish().transform((value): readonly T[] => value ?? []);
}

/** An account: a person, a bot or a webhook. */
export interface User {
  readonly id: string;
  readonly username: string;
  /** As people see it; "" where it is the username. */
  readonly global_name: string;
  readonly bot: boolean;
}

/** {@link User} */
export const userSchema: z.ZodType<User> = z.object({
  id: z.string().min(1),
  username: optionalText,
  global_name: optionalText,
  bot: z.boolean().nullish().transform((value) => value ?? false),
});

/** A file of a message. Its address holds for a day. */
export interface Attachment {
  readonly id: string;
  readonly filename: string;
  readonly size: number;
  readonly url: string;
  readonly content_type: string;
  /** Of a voice message; null for any other. */
  readonly duration_secs: number | null;
}

const attachmentSchema: z.ZodType<Attachment> = z.object({
  id: z.string().min(1),
  filename: optionalText,
  size: z.number().catch(0),
  url: z.string(),
  content_type: optionalText,
  duration_secs: z.number().nullish().transform((value) => value ?? null),
});

/** A preview of a link, or the words of another bot. */
export interface Embed {
  readonly type: string;
  readonly title: string;
  readonly description: string;
  readonly url: string;
  readonly fields: readonly { readonly name: string; readonly value: string }[];
}

const embedSchema: z.ZodType<Embed> = z.object({
  type: optionalText,
  title: optionalText,
  description: optionalText,
  url: optionalText,
  fields: listOf(z.object({ name: optionalText, value: optionalText })),
});

/** What a message shows, without who says it. */
export interface MessageContents {
  readonly content: string;
  readonly attachments: readonly Attachment[];
  readonly embeds: readonly Embed[];
  readonly stickers: readonly string[];
  /** A poll's question and answers; null without one. */
  readonly poll: { readonly question: string; readonly answers: readonly string[] } | null;
}

const contentsShape = {
  content: optionalText,
  attachments: listOf(attachmentSchema),
  embeds: listOf(embedSchema),
  sticker_items: listOf(z.object({ name: optionalText })),
  poll: z.object({
    question: z.object({ text: optionalText }),
    answers: listOf(z.object({ poll_media: z.object({ text: optionalText }) })),
  }).nullish(),
};

type RawContents = z.output<z.ZodObject<typeof contentsShape>>;

function contentsOf({ content, attachments, embeds, ...rest }: RawContents): MessageContents {
  return {
    content,
    attachments,
    embeds,
    stickers: rest.sticker_items.map(({ name }) => name),
    poll: rest.poll === null || rest.poll === undefined ? null : {
      question: rest.poll.question.text,
      answers: rest.poll.answers.map(({ poll_media: { text } }) => text),
    },
  };
}

/** A message that another one answers. */
export interface QuotedMessage extends MessageContents {
  readonly id: string;
  readonly author: User;
  readonly mentions: readonly User[];
}

const quotedShape = {
  ...contentsShape,
  id: z.string().min(1),
  author: userSchema,
  mentions: listOf(userSchema),
};

/** {@link QuotedMessage}, also as an answer to `GET /channels/…/messages/…` */
export const quotedSchema: z.ZodType<QuotedMessage> = z.object(quotedShape)
  .transform(({ id, author, mentions, ...raw }) => ({ id, author, mentions, ...contentsOf(raw) }));

/** A message as it comes by event or in a list. */
export interface Message extends MessageContents {
  readonly id: string;
  readonly channel_id: string;
  /** Null in direct messages, and in lists. */
  readonly guild_id: string | null;
  readonly type: number;
  readonly author: User;
  /** Name in the server; "" where there is none. */
  readonly nick: string;
  readonly mentions: readonly User[];
  readonly webhook_id: string | null;
  /** The message that this one answers, or whose contents it hands on; null for none. */
  readonly reference: { readonly isForward: boolean; readonly messageId: string } | null;
  /** That message; null when it is gone; undefined when the platform did not say. */
  readonly quoted: QuotedMessage | null | undefined;
  readonly forwarded: readonly MessageContents[];
  /** Only of the messages that this bot sends, and only for a while. */
  readonly nonce: string | null;
}

const FORWARD = 1;

/** {@link Message} */
export const messageSchema: z.ZodType<Message> = z.object({
  ...quotedShape,
  channel_id: z.string().min(1),
  guild_id: optionalId,
  type: z.number().catch(0),
  member: z.object({ nick: optionalText }).nullish(),
  webhook_id: optionalId,
  message_reference: z.object({ type: z.number().catch(0), message_id: optionalText }).nullish(),
  referenced_message: quotedSchema.nullish(),
  message_snapshots: listOf(
    z.object({ message: z.object(contentsShape).transform(contentsOf) }),
  ),
  nonce: z.union([z.string(), z.number().transform(String)]).nullish(),
}).transform(({ id, author, mentions, channel_id, guild_id, type, member, webhook_id, ...raw }) => {
  const { message_reference: reference, referenced_message: quoted } = raw;
  return {
    id,
    author,
    mentions,
    channel_id,
    guild_id,
    type,
    nick: member?.nick ?? "",
    webhook_id,
    reference: reference === null || reference === undefined
      ? null
      : { isForward: reference.type === FORWARD, messageId: reference.message_id },
    quoted,
    forwarded: raw.message_snapshots.map(({ message }) => message),
    nonce: raw.nonce ?? null,
    ...contentsOf(raw),
  };
});

/** A message of a list, as it came. */
export interface RawMessage {
  readonly id: string;
  readonly raw: JsonObject;
}

/** An answer that lists messages. */
export const messagesSchema: z.ZodType<readonly RawMessage[]> = z.array(
  z.record(z.string(), z.json()).transform((raw, context) => {
    const id = raw["id"];
    if (typeof id === "string") return { id, raw };
    context.addIssue({ code: "custom", message: "a message has no id" });
    return z.NEVER;
  }),
);

/** `MESSAGE_DELETE` and `MESSAGE_DELETE_BULK`: what was taken back. */
export const deletedSchema: z.ZodType<readonly string[]> = z.object({
  id: z.string().optional(),
  ids: z.array(z.string()).optional(),
}).transform(({ id, ids }) => [...(id === undefined ? [] : [id]), ...(ids ?? [])]);

/** A channel, as far as it matters whether it is a thread of another one. */
export interface Place {
  readonly id: string;
  readonly type: number;
  readonly parent_id: string | null;
}

/** {@link Place} */
export const placeSchema: z.ZodType<Place> = z.object({
  id: z.string().min(1),
  type: z.number(),
  parent_id: optionalId,
});

/** `GUILD_CREATE` and `THREAD_LIST_SYNC`: the places that there are. */
export const placesSchema: z.ZodType<readonly Place[]> = z.object({
  channels: listOf(placeSchema).catch([]),
  threads: listOf(placeSchema).catch([]),
}).transform(({ channels, threads }) => [...channels, ...threads]);

/** What was sent. */
export const sentSchema: z.ZodType<{ readonly id: string; readonly content: string }> = z.object({
  id: z.string().min(1),
  content: optionalText,
});
