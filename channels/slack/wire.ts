/**
 * Slack's own shapes: frames of the socket, events, answers of the Web API. What comes from outside
 * is parsed here; keys that nobody needs are dropped.
 * @module
 */

import { z } from "zod";

const text = z.string().catch("");

/** What every answer of the Web API begins with. */
export interface Answer {
  readonly ok: boolean;
  readonly error?: string | undefined;
  /** The scope that is missing. */
  readonly needed?: string | undefined;
}

/** Any answer. */
export const answerSchema: z.ZodType<Answer> = z.object({
  ok: z.boolean(),
  error: z.string().optional(),
  needed: z.string().optional(),
});

/** A frame of the socket. */
export interface SocketFrame {
  readonly type: string;
  readonly envelope_id?: string | undefined;
  readonly payload?: unknown;
  readonly retry_attempt: number;
  /** Why Slack ends the socket. */
  readonly reason: string;
}

/** Any frame. */
export const socketFrameSchema: z.ZodType<SocketFrame> = z.object({
  type: z.string(),
  envelope_id: z.string().optional(),
  payload: z.unknown().optional(),
  retry_attempt: z.number().catch(0),
  reason: text,
});

/** A file of a message. */
export interface SlackFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly mimetype: string;
  /** Bytes; 0 when it is not told. */
  readonly size: number;
  /** `hosted`, `external`, `snippet`, `tombstone`, `hidden_by_limit`, … */
  readonly mode: string;
  /** `visible`, `file_not_found`, `access_denied`, `check_file_info`; "" when it is not told. */
  readonly file_access: string;
  readonly url_private: string;
  readonly url_private_download: string;
}

const fileSchema: z.ZodType<SlackFile> = z.object({
  id: z.string(),
  name: text,
  title: text,
  mimetype: text,
  size: z.number().catch(0),
  mode: text,
  file_access: text,
  url_private: text,
  url_private_download: text,
});

/** The answer of `files.info`. */
export const fileAnswerSchema: z.ZodType<{ readonly file: SlackFile }> = z.object({
  file: fileSchema,
});

/** A piece that hangs on a message: one that was shared from elsewhere, or a preview. */
export interface SlackAttachment {
  readonly text: string;
  readonly fallback: string;
  readonly author_name: string;
  readonly title: string;
  /** Somebody passed a message on; otherwise it is a preview of an address. */
  readonly is_share: boolean;
  readonly is_msg_unfurl: boolean;
}

const attachmentSchema: z.ZodType<SlackAttachment> = z.object({
  text,
  fallback: text,
  author_name: text,
  title: text,
  is_share: z.boolean().catch(false),
  is_msg_unfurl: z.boolean().catch(false),
});

/** A message, as events and the history tell of it. */
export interface SlackMessage {
  readonly type: string;
  readonly subtype: string;
  /** Where it stands; the history leaves it out. */
  readonly channel: string;
  /** `im`, `mpim`, `channel`, `group`; "" where it is not told. */
  readonly channel_type: string;
  /** Who wrote it; "" where nobody did. */
  readonly user: string;
  readonly bot_id: string;
  readonly text: string;
  /** Its id within the channel, and its time: seconds with six decimals, as text. */
  readonly ts: string;
  /** The first message of its thread; "" outside. */
  readonly thread_ts: string;
  /** Who wrote the first message of its thread. */
  readonly parent_user_id: string;
  /** Of a message that was deleted. */
  readonly deleted_ts: string;
  readonly files: readonly SlackFile[];
  readonly attachments: readonly SlackAttachment[];
  readonly metadata?: SlackMetadata | undefined;
}

/** What an app hangs on its messages, invisible to people. */
export interface SlackMetadata {
  readonly event_type: string;
  readonly event_payload: Readonly<Record<string, unknown>>;
}

/** A message. */
export const messageSchema: z.ZodType<SlackMessage> = z.object({
  type: z.string(),
  subtype: text,
  channel: text,
  channel_type: text,
  user: text,
  bot_id: text,
  text,
  ts: z.string(),
  thread_ts: text,
  parent_user_id: text,
  deleted_ts: text,
  files: z.array(fileSchema).catch([]),
  attachments: z.array(attachmentSchema).catch([]),
  metadata: z.object({
    event_type: z.string(),
    event_payload: z.record(z.string(), z.unknown()).catch({}),
  }).optional().catch(undefined),
});

/** The payload of an `events_api` envelope. */
export const eventSchema: z.ZodType<{ readonly event: SlackMessage }> = z.object({
  event: messageSchema,
});

/** The payload of a `slash_commands` envelope. */
export interface SlashCommand {
  /** With its slash. */
  readonly command: string;
  /** What was written behind it. */
  readonly text: string;
  readonly user_id: string;
  readonly channel_id: string;
  /** Once for each time that it was called. */
  readonly trigger_id: string;
}

/** A slash command. */
export const slashSchema: z.ZodType<SlashCommand> = z.object({
  command: z.string(),
  text,
  user_id: z.string(),
  channel_id: z.string(),
  trigger_id: z.string(),
});

/** The payload of an `interactive` envelope about a button: `block_actions`. */
export interface SlackPress {
  readonly user: { readonly id: string };
  /** The message with the button. */
  readonly container: { readonly channel_id: string; readonly message_ts: string };
  readonly actions: readonly { readonly value: string }[];
}

/** A press of a button. */
export const pressSchema: z.ZodType<SlackPress> = z.object({
  type: z.literal("block_actions"),
  user: z.object({ id: z.string().min(1) }),
  container: z.object({ channel_id: z.string().min(1), message_ts: z.string().min(1) }),
  actions: z.array(z.object({ value: text })),
});

/** Who the bot is. */
export interface Identity {
  readonly user_id: string;
  readonly user: string;
  readonly bot_id: string;
  readonly team: string;
  readonly url: string;
}

/** The answer of `auth.test`. */
export const identitySchema: z.ZodType<Identity> = z.object({
  user_id: z.string(),
  user: text,
  bot_id: text,
  team: text,
  url: text,
});

/** The answer of `apps.connections.open`. */
export const socketAddressSchema: z.ZodType<{ readonly url: string }> = z.object({
  url: z.string(),
});

/** The answer of a call that posts. */
export const postedSchema: z.ZodType<{ readonly ts: string }> = z.object({ ts: z.string() });

/** The answer of `chat.postEphemeral`. */
export const whisperedSchema: z.ZodType<{ readonly message_ts: string }> = z.object({
  message_ts: z.string(),
});

/** The answer of `files.getUploadURLExternal`. */
export const uploadPlaceSchema: z.ZodType<
  { readonly upload_url: string; readonly file_id: string }
> = z.object({ upload_url: z.string(), file_id: z.string() });

/** The answer of `conversations.open`. */
export const openedSchema: z.ZodType<{ readonly channel: { readonly id: string } }> = z.object({
  channel: z.object({ id: z.string() }),
});

const metadataSchema = z.object({ next_cursor: text }).catch({ next_cursor: "" });

/** A page of something. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Names the next page; "" when there is none. */
  readonly nextCursor: string;
}

/** A page of messages, of `conversations.history` and `conversations.replies`. */
export const messagesPageSchema: z.ZodType<Page<SlackMessage>> = z.object({
  messages: z.array(messageSchema),
  response_metadata: metadataSchema,
}).transform(({ messages, response_metadata: { next_cursor: nextCursor } }) => ({
  items: messages,
  nextCursor,
}));

/** A channel, as lists name it. */
export interface SlackChannel {
  readonly id: string;
  readonly name: string;
}

/** A page of channels. */
export const channelsPageSchema: z.ZodType<Page<SlackChannel>> = z.object({
  channels: z.array(z.object({ id: z.string(), name: text })),
  response_metadata: metadataSchema,
}).transform(({ channels, response_metadata: { next_cursor: nextCursor } }) => ({
  items: channels,
  nextCursor,
}));

/** A person. */
export interface SlackUser {
  readonly id: string;
  readonly name: string;
  readonly deleted: boolean;
  readonly profile: {
    readonly display_name: string;
    readonly real_name: string;
    readonly display_name_normalized: string;
    readonly real_name_normalized: string;
  };
}

const userSchema: z.ZodType<SlackUser> = z.object({
  id: z.string(),
  name: text,
  deleted: z.boolean().catch(false),
  profile: z.object({
    display_name: text,
    real_name: text,
    display_name_normalized: text,
    real_name_normalized: text,
  }),
});

/** The answer of `users.info`. */
export const userAnswerSchema: z.ZodType<{ readonly user: SlackUser }> = z.object({
  user: userSchema,
});

/** A page of people. */
export const usersPageSchema: z.ZodType<Page<SlackUser>> = z.object({
  members: z.array(userSchema),
  response_metadata: metadataSchema,
}).transform(({ members, response_metadata: { next_cursor: nextCursor } }) => ({
  items: members,
  nextCursor,
}));
