/**
 * The platform's own shapes, as far as the channel uses them, in the platform's spelling.
 * @module
 */

import { z } from "zod";

/** Absent and null mean the same on this wire. */
const optionalText = z.string().nullish().transform((value) => value ?? "");

/** The ids of a user or app; each depends on a permission. */
const userId = z.object({
  open_id: optionalText,
  user_id: optionalText,
  union_id: optionalText,
});

/** One mention in a received message; `key` is its placeholder in the text. */
export const mentionSchema: z.ZodType<Mention> = z.object({
  key: z.string(),
  id: userId.nullish().transform((value) => value ?? null),
  name: optionalText,
});

/** A mention: `key` stands in the text where the name belongs. */
export interface Mention {
  readonly key: string;
  readonly id: {
    readonly open_id: string;
    readonly user_id: string;
    readonly union_id: string;
  } | null;
  readonly name: string;
}

/** `im.message.receive_v1` as the SDK's dispatcher hands it on (header and event in one object). */
export const messageEventSchema: z.ZodType<MessageEvent> = z.object({
  sender: z.object({
    sender_id: userId.nullish().transform((value) => value ?? null),
    sender_type: optionalText,
  }),
  message: z.object({
    message_id: z.string().min(1),
    root_id: optionalText,
    parent_id: optionalText,
    thread_id: optionalText,
    chat_id: z.string().min(1),
    chat_type: optionalText,
    message_type: optionalText,
    create_time: optionalText,
    content: optionalText,
    mentions: z.array(mentionSchema).nullish().transform((value) => value ?? []),
  }),
});

/** A received message with its sender; "" stands for what the platform left out. */
export interface MessageEvent {
  readonly sender: { readonly sender_id: Mention["id"]; readonly sender_type: string };
  readonly message: {
    readonly message_id: string;
    readonly root_id: string;
    readonly parent_id: string;
    readonly thread_id: string;
    readonly chat_id: string;
    readonly chat_type: string;
    readonly message_type: string;
    /** Epoch milliseconds by the platform's clock. */
    readonly create_time: string;
    /** JSON text; its shape depends on `message_type`. */
    readonly content: string;
    readonly mentions: readonly Mention[];
  };
}

/** A mention as `message.get` words it: its id is a text. */
const storedMention = z.object({
  key: z.string(),
  id: optionalText,
  id_type: optionalText,
  name: optionalText,
}).transform(({ key, id, id_type, name }): Mention => ({
  key,
  name,
  id: { open_id: id_type === "open_id" ? id : "", user_id: "", union_id: "" },
}));

/** Answer to reading a message; for a forwarded bundle its children follow. */
export const messagesSchema: z.ZodType<MessagesPage> = z.object({
  items: z.array(z.object({
    message_id: optionalText,
    upper_message_id: optionalText,
    root_id: optionalText,
    chat_id: optionalText,
    msg_type: optionalText,
    deleted: z.boolean().nullish().transform((value) => value ?? false),
    sender: z.object({ id: optionalText, id_type: optionalText, sender_type: optionalText })
      .nullish().transform((value) => value ?? { id: "", id_type: "", sender_type: "" }),
    body: z.object({ content: optionalText }).nullish()
      .transform((value) => value ?? { content: "" }),
    mentions: z.array(storedMention).nullish().transform((value) => value ?? []),
  })).nullish().transform((value) => value ?? []),
  has_more: z.boolean().nullish().transform((value) => value ?? false),
  page_token: optionalText,
});

/** Messages, and where the next ones are. */
export interface MessagesPage {
  readonly items: readonly StoredMessage[];
  readonly has_more: boolean;
  readonly page_token: string;
}

/** A message as it is read later; "" stands for what the platform left out. */
export interface StoredMessage {
  readonly message_id: string;
  /** The bundle it was forwarded in. */
  readonly upper_message_id: string;
  readonly root_id: string;
  readonly chat_id: string;
  readonly msg_type: string;
  readonly deleted: boolean;
  readonly sender: {
    readonly id: string;
    readonly id_type: string;
    readonly sender_type: string;
  };
  readonly body: { readonly content: string };
  readonly mentions: readonly Mention[];
}

/** A page of a chat's members. */
export const membersSchema: z.ZodType<MembersPage> = z.object({
  items: z.array(z.object({ member_id: optionalText, name: optionalText })).nullish()
    .transform((value) => value ?? []),
  has_more: z.boolean().nullish().transform((value) => value ?? false),
  page_token: optionalText,
});

/** Some members of a chat. */
export interface MembersPage {
  readonly items: readonly { readonly member_id: string; readonly name: string }[];
  readonly has_more: boolean;
  readonly page_token: string;
}

/** A message was taken back. */
export const recalledEventSchema: z.ZodType<{ readonly message_id: string }> = z.object({
  message_id: z.string().min(1),
});

/** `card.action.trigger`: somebody pressed a button. */
export const pressEventSchema: z.ZodType<PressEvent> = z.object({
  event_id: optionalText,
  operator: z.object({ open_id: optionalText }),
  action: z.object({ value: z.unknown() }),
  context: z.object({ open_message_id: optionalText }).nullish()
    .transform((value) => value ?? { open_message_id: "" }),
});

/** Who pressed what. */
export interface PressEvent {
  readonly event_id: string;
  readonly operator: { readonly open_id: string };
  /** As the card named it. */
  readonly action: { readonly value: unknown };
  readonly context: { readonly open_message_id: string };
}

/** The bot was put into a group. */
export const botAddedEventSchema: z.ZodType<BotAddedEvent> = z.object({
  event_id: optionalText,
  chat_id: z.string().min(1),
  operator_id: userId.nullish().transform((value) => value ?? null),
});

/** Who put the bot into which group. */
export interface BotAddedEvent {
  readonly event_id: string;
  readonly chat_id: string;
  readonly operator_id: Mention["id"];
}

/** The frame of every REST answer. */
export const answerSchema: z.ZodType<Answer> = z.object({
  code: z.number(),
  msg: optionalText,
  data: z.unknown().optional(),
}).loose();

/** A REST answer; `code` 0 means done. */
export interface Answer {
  readonly code: number;
  readonly msg: string;
  readonly data?: unknown;
}

const bot = z.object({ open_id: z.string().min(1), app_name: optionalText });

/** Bot info; the platform puts `bot` at the top level, some gateways below `data`. */
export const botInfoSchema: z.ZodType<BotInfo> = z.union([
  z.object({ bot }).transform((answer) => answer.bot),
  z.object({ data: z.object({ bot }) }).transform((answer) => answer.data.bot),
]);

/** Who the bot is. */
export interface BotInfo {
  readonly open_id: string;
  /** As people see it; "" when the platform does not say. */
  readonly app_name: string;
}

/** Answer to create and reply. */
export const sentMessageSchema: z.ZodType<{ readonly message_id: string }> = z.object({
  message_id: z.string().min(1),
});

/** Answer to creating a reaction. */
export const reactionSchema: z.ZodType<{ readonly reaction_id: string }> = z.object({
  reaction_id: z.string().min(1),
});

/** Answer to creating a card entity. */
export const cardSchema: z.ZodType<{ readonly card_id: string }> = z.object({
  card_id: z.string().min(1),
});

/** Answer to uploading an image. */
export const imageSchema: z.ZodType<{ readonly image_key: string }> = z.object({
  image_key: z.string().min(1),
});

/** Answer to uploading a file. */
export const fileSchema: z.ZodType<{ readonly file_key: string }> = z.object({
  file_key: z.string().min(1),
});

/** Answer of the connection endpoint, as far as our reconnect policy needs it. */
export const endpointSchema: z.ZodType<EndpointAnswer> = z.object({
  code: z.number(),
  msg: optionalText,
  data: z.object({
    URL: z.string(),
    ClientConfig: z.object({ ReconnectInterval: z.number() }).loose(),
  }).loose().nullish().transform((value) => value ?? null),
});

/** What the connection endpoint says; its URL holds one-time secrets. */
export interface EndpointAnswer {
  readonly code: number;
  readonly msg: string;
  readonly data: {
    readonly URL: string;
    /** Seconds. */
    readonly ClientConfig: { readonly ReconnectInterval: number };
  } | null;
}

/** What `JSON.parse` gives, or null when `text` is no JSON. */
export function decodeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
