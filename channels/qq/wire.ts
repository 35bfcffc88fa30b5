/**
 * The platform's own shapes, as far as they are read
 * (https://bot.q.qq.com/wiki/develop/api-v2/). What is not named here is dropped.
 * @module
 */

import { z } from "zod";

/** Text; absent and null mean the same on this wire. */
const optionalText = z.string().nullish().transform((value) => value ?? "");

/** Where a message stands: a chat with one person, a group, or a direct chat of a guild. */
export type ChatKind = "c2c" | "group" | "direct";

/** A file of a message. */
export interface Attachment {
  readonly url: string;
  readonly filename: string;
  /** A MIME type, or `voice` or `file`. */
  readonly content_type: string;
  readonly size: number;
  /** The same sound as WAV; "" where there is none. */
  readonly voice_wav_url: string;
  /** What the platform understood of the sound; "" where it tells nothing. */
  readonly asr_refer_text: string;
}

/** A message of a person's, whatever its kind of chat. */
export interface QqMessage {
  readonly kind: ChatKind;
  readonly id: string;
  readonly chatId: string;
  readonly senderId: string;
  /** Of a direct chat of a guild, by which it is answered; "" elsewhere. */
  readonly guildId: string;
  readonly isBot: boolean;
  /** "" where the platform tells no name. */
  readonly senderName: string;
  readonly content: string;
  /** As the platform writes it. */
  readonly timestamp: string;
  readonly attachments: readonly Attachment[];
  /** The words that are answered; "" when none are. */
  readonly quoted: string;
}

const attachmentSchema: z.ZodType<Attachment> = z.object({
  url: optionalText.transform(withProtocol),
  filename: optionalText,
  content_type: optionalText,
  size: z.coerce.number().catch(0),
  voice_wav_url: optionalText.transform(withProtocol),
  asr_refer_text: optionalText,
});

/** Some addresses come without a protocol. */
function withProtocol(address: string): string {
  return address.startsWith("//") ? `https:${address}` : address;
}

const attachments = z.array(attachmentSchema).nullish().transform((value) => value ?? []);

/** {@link QqMessage}, as a draft keeps it. */
export const storedMessageSchema: z.ZodType<QqMessage> = z.object({
  kind: z.enum(["c2c", "group", "direct"]),
  id: z.string(),
  chatId: z.string(),
  senderId: z.string(),
  guildId: z.string(),
  isBot: z.boolean(),
  senderName: z.string(),
  content: z.string(),
  timestamp: z.string(),
  attachments,
  quoted: z.string(),
});

const authorSchema = z.object({
  id: optionalText,
  user_openid: optionalText,
  member_openid: optionalText,
  username: optionalText,
  bot: z.boolean().nullish().transform((value) => value ?? false),
});

/** A message that quotes another one brings that along. */
const QUOTING_TYPE = 103;

const eventSchema = z.object({
  id: z.string().min(1),
  author: authorSchema,
  content: optionalText,
  timestamp: optionalText,
  group_openid: optionalText,
  guild_id: optionalText,
  attachments,
  message_type: z.number().nullish(),
  msg_elements: z.array(z.object({ content: optionalText })).nullish().catch(null),
});

const KINDS: ReadonlyMap<string, ChatKind> = new Map([
  ["C2C_MESSAGE_CREATE", "c2c"],
  ["GROUP_AT_MESSAGE_CREATE", "group"],
  ["DIRECT_MESSAGE_CREATE", "direct"],
]);

/** Whether an event tells of a message. */
export function isMessageEvent(type: string): boolean {
  return KINDS.has(type);
}

/** The message that an event tells of; null for one of unknown shape. */
export function readMessage(type: string, data: unknown): QqMessage | null {
  const kind = KINDS.get(type);
  const event = eventSchema.safeParse(data).data;
  if (kind === undefined || event === undefined) return null;
  const { author, group_openid, guild_id, message_type, msg_elements, ...rest } = event;
  const senderId = senderIn(kind, author);
  const chatId = kind === "group" ? group_openid : senderId;
  if (senderId === "" || chatId === "" || (kind === "direct" && guild_id === "")) return null;
  return {
    ...rest,
    kind,
    chatId,
    senderId,
    guildId: kind === "direct" ? guild_id : "",
    isBot: author.bot,
    senderName: author.username,
    quoted: message_type === QUOTING_TYPE ? msg_elements?.[0]?.content.trim() ?? "" : "",
  };
}

function senderIn(kind: ChatKind, author: z.infer<typeof authorSchema>): string {
  const { id, user_openid: openId, member_openid: memberId } = author;
  switch (kind) {
    case "c2c":
      return openId || id;
    case "group":
      return memberId || id;
    case "direct":
      return id;
  }
}

/** `READY`: a session began. */
export const readySchema: z.ZodType<{
  readonly session_id: string;
  readonly user: { readonly id: string; readonly username: string };
}> = z.object({
  session_id: z.string().min(1),
  user: z.object({ id: optionalText, username: optionalText }).catch({ id: "", username: "" }),
});

/** The answer that lends a token; the life is in seconds. */
export const tokenSchema: z.ZodType<
  { readonly access_token: string; readonly expires_in: number }
> = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().catch(7_200),
});

/** `GET /gateway` */
export const gatewaySchema: z.ZodType<{ readonly url: string }> = z.object({
  url: z.string().min(1),
});

/** What every answer may be instead. */
export const refusalSchema: z.ZodType<{ readonly code: number; readonly message: string }> = z
  .object({
    code: z.coerce.number().nullish().catch(null),
    err_code: z.coerce.number().nullish().catch(null),
    message: optionalText.catch(""),
  }).transform(({ code, err_code: errorCode, message }) => ({
    code: code || errorCode || 0,
    message,
  }));

/** A message that was sent; in guilds it may have to be looked at by somebody first. */
export const sentSchema: z.ZodType<{ readonly id: string }> = z.object({
  id: optionalText,
  data: z.object({
    message_audit: z.object({ audit_id: optionalText }).nullish().catch(null),
  }).nullish().catch(null),
}).transform(({ id, data }) => ({ id: id || (data?.message_audit?.audit_id ?? "") }))
  .refine(({ id }) => id !== "");

/** A file that was uploaded. */
export const uploadedSchema: z.ZodType<{ readonly file_info: string }> = z.object({
  file_info: z.string().min(1),
});
