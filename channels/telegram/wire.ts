/**
 * The Bot API's own shapes, as far as they are read (https://core.telegram.org/bots/api). What is
 * not named here is dropped.
 * @module
 */

import { z } from "zod";

const userSchema = z.object({
  id: z.number(),
  is_bot: z.boolean().default(false),
  first_name: z.string().default(""),
  last_name: z.string().optional(),
  username: z.string().optional(),
});

const chatSchema = z.object({
  id: z.number(),
  type: z.enum(["private", "group", "supergroup", "channel"]),
  title: z.string().optional(),
  is_forum: z.boolean().optional(),
});

const entitySchema = z.object({
  type: z.string(),
  offset: z.number(),
  length: z.number(),
  user: z.object({ id: z.number() }).optional(),
});

const fileSchema = z.object({
  file_id: z.string(),
  file_unique_id: z.string().default(""),
  file_size: z.number().optional(),
  file_name: z.string().optional(),
  mime_type: z.string().optional(),
});

const placeSchema = z.object({ latitude: z.number(), longitude: z.number() });

const nameSchema = z.object({ title: z.string().optional(), first_name: z.string().optional() });
const originSchema = z.object({
  sender_user: userSchema.optional(),
  sender_user_name: z.string().optional(),
  sender_chat: nameSchema.optional(),
  chat: nameSchema.optional(),
});

const bareMessageSchema = z.object({
  message_id: z.number(),
  date: z.number().default(0),
  chat: chatSchema,
  from: userSchema.optional(),
  sender_chat: nameSchema.optional(),
  message_thread_id: z.number().optional(),
  is_topic_message: z.boolean().optional(),
  media_group_id: z.string().optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: z.array(entitySchema).optional(),
  caption_entities: z.array(entitySchema).optional(),
  forward_origin: originSchema.optional(),
  quote: z.object({ text: z.string() }).optional(),
  photo: z.array(fileSchema).optional(),
  voice: fileSchema.optional(),
  audio: fileSchema.optional(),
  document: fileSchema.optional(),
  video: fileSchema.optional(),
  video_note: fileSchema.optional(),
  animation: fileSchema.optional(),
  sticker: fileSchema.extend({ emoji: z.string().optional() }).optional(),
  location: placeSchema.optional(),
  venue: z.object({ title: z.string(), address: z.string(), location: placeSchema }).optional(),
  contact: z.object({ phone_number: z.string(), first_name: z.string() }).optional(),
  poll: z.object({
    question: z.string(),
    options: z.array(z.object({ text: z.string() })),
  }).optional(),
  dice: z.object({ emoji: z.string(), value: z.number() }).optional(),
  forum_topic_created: z.object({}).optional(),
});

/** A message, with the one it answers. */
export const messageSchema: z.ZodType<TelegramMessage> = bareMessageSchema.extend({
  reply_to_message: bareMessageSchema.optional(),
});

/** A person or bot. */
export interface TelegramUser {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly last_name?: string | undefined;
  readonly username?: string | undefined;
}

/** A file by the id that fetches it; `file_unique_id` names its bytes. */
export interface TelegramFile {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_size?: number | undefined;
  readonly file_name?: string | undefined;
  readonly mime_type?: string | undefined;
}

/** Something marked in a text, by UTF-16 units. */
export interface TextEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly user?: { readonly id: number } | undefined;
}

/** A point on the map. */
export interface MapPoint {
  readonly latitude: number;
  readonly longitude: number;
}

/** What has a title, or a name. */
export interface Named {
  readonly title?: string | undefined;
  readonly first_name?: string | undefined;
}

/** A message without the one it answers. */
export interface BareMessage {
  readonly message_id: number;
  /** Epoch seconds. */
  readonly date: number;
  readonly chat: {
    readonly id: number;
    readonly type: "private" | "group" | "supergroup" | "channel";
    readonly title?: string | undefined;
    readonly is_forum?: boolean | undefined;
  };
  readonly from?: TelegramUser | undefined;
  /** Set for posts in a channel's or group's own name. */
  readonly sender_chat?: Named | undefined;
  readonly message_thread_id?: number | undefined;
  readonly is_topic_message?: boolean | undefined;
  readonly media_group_id?: string | undefined;
  readonly text?: string | undefined;
  readonly caption?: string | undefined;
  readonly entities?: readonly TextEntity[] | undefined;
  readonly caption_entities?: readonly TextEntity[] | undefined;
  readonly forward_origin?: {
    readonly sender_user?: TelegramUser | undefined;
    readonly sender_user_name?: string | undefined;
    readonly sender_chat?: Named | undefined;
    readonly chat?: Named | undefined;
  } | undefined;
  /** The part of the answered message that was picked. */
  readonly quote?: { readonly text: string } | undefined;
  /** Sizes of one picture, the largest last. */
  readonly photo?: readonly TelegramFile[] | undefined;
  readonly voice?: TelegramFile | undefined;
  readonly audio?: TelegramFile | undefined;
  readonly document?: TelegramFile | undefined;
  readonly video?: TelegramFile | undefined;
  readonly video_note?: TelegramFile | undefined;
  readonly animation?: TelegramFile | undefined;
  readonly sticker?: TelegramFile & { readonly emoji?: string | undefined } | undefined;
  readonly location?: MapPoint | undefined;
  readonly venue?: {
    readonly title: string;
    readonly address: string;
    readonly location: MapPoint;
  } | undefined;
  readonly contact?: { readonly phone_number: string; readonly first_name: string } | undefined;
  readonly poll?: {
    readonly question: string;
    readonly options: readonly { readonly text: string }[];
  } | undefined;
  readonly dice?: { readonly emoji: string; readonly value: number } | undefined;
  /** The message that a topic hangs on. */
  readonly forum_topic_created?: Record<string, never> | undefined;
}

/** A message, with the one it answers. */
export interface TelegramMessage extends BareMessage {
  readonly reply_to_message?: BareMessage | undefined;
}

/** Something that happened; messages and presses of buttons are asked for. */
export const updateSchema: z.ZodType<TelegramUpdate> = z.object({
  update_id: z.number(),
  message: z.unknown().optional(),
  callback_query: z.unknown().optional(),
});

/** Something that happened; what it is is parsed by itself, so that one cannot hide the others. */
export interface TelegramUpdate {
  update_id: number;
  message?: unknown;
  callback_query?: unknown;
}

/** Somebody pressed a button below a message of the bot's. */
export interface TelegramPress {
  readonly id: string;
  readonly from: TelegramUser;
  /** As much as is still known of it. */
  readonly message: BareMessage;
  /** What the button carries. */
  readonly data: string;
}

/** A press of a button that carries something. */
export const pressSchema: z.ZodType<TelegramPress> = z.object({
  id: z.string(),
  from: userSchema,
  message: bareMessageSchema,
  data: z.string(),
});

/** What `getMe` tells. */
export const botSchema: z.ZodType<BotInfo> = z.object({
  id: z.number(),
  username: z.string(),
  first_name: z.string().default(""),
  can_read_all_group_messages: z.boolean().default(false),
});

/** Who the bot is. */
export interface BotInfo {
  readonly id: number;
  readonly username: string;
  readonly first_name: string;
  /** Its privacy mode is off. */
  readonly can_read_all_group_messages: boolean;
}

/** What a send tells. */
export const sentSchema: z.ZodType<{ message_id: number }> = z.object({ message_id: z.number() });

/** What `getFile` tells. */
export const filePathSchema: z.ZodType<{ file_path: string; file_size?: number | undefined }> = z
  .object({ file_path: z.string(), file_size: z.number().optional() });
