/**
 * DingTalk's own shapes, as far as they are read
 * (https://open.dingtalk.com/document/orgapp/receive-message). What is not named here is dropped.
 * @module
 */

import { z } from "zod";

/** A frame of the stream. */
export interface StreamFrame {
  readonly type: string;
  /** Come back with the answer, those that are not known as well. */
  readonly headers: Readonly<Record<string, unknown>> & {
    readonly topic: string;
    readonly messageId: string;
  };
  /** JSON as text. */
  readonly data: string;
}

/** A frame of the stream. */
export const frameSchema: z.ZodType<StreamFrame> = z.object({
  type: z.string(),
  headers: z.looseObject({ topic: z.string().default(""), messageId: z.string().default("") }),
  data: z.string().default(""),
});

/** A piece of a rich text. */
export interface RichPiece {
  readonly type: string;
  readonly text: string;
  readonly downloadCode: string;
}

/** What a message other than a text holds; each kind has some of it. */
export interface MessageContent {
  readonly downloadCode: string;
  readonly fileName: string;
  /** The ending of a video. */
  readonly videoType: string;
  /** What was said in a recording, as DingTalk heard it. */
  readonly recognition: string;
  readonly richText: readonly RichPiece[];
}

/** The message that is answered, as far as DingTalk brings it. */
export interface RepliedMessage {
  readonly msgType: string;
  readonly senderId: string;
  readonly content: { readonly text: string };
}

/** A message to the robot. */
export interface RobotMessage {
  readonly msgId: string;
  readonly msgtype: string;
  /** `1` for a direct chat, `2` for a group. */
  readonly conversationType: string;
  readonly conversationId: string;
  readonly conversationTitle: string;
  /** Encrypted; of everybody. */
  readonly senderId: string;
  /** Of members of the robot's organization alone. */
  readonly senderStaffId: string;
  readonly senderNick: string;
  readonly chatbotUserId: string;
  /** Whether it mentions the robot. */
  readonly isInAtList: boolean | null;
  /** Epoch milliseconds. */
  readonly createAt: number;
  readonly text: {
    readonly content: string;
    readonly isReplyMsg: boolean;
    readonly repliedMsg: RepliedMessage | null;
  };
  readonly content: MessageContent;
}

const text = z.string().nullish().transform((value) => value ?? "");

const EMPTY_CONTENT: MessageContent = {
  downloadCode: "",
  fileName: "",
  videoType: "",
  recognition: "",
  richText: [],
};

const contentSchema: z.ZodType<MessageContent> = z.object({
  downloadCode: text,
  fileName: text,
  videoType: text,
  recognition: text,
  richText: z.array(z.object({ type: text, text, downloadCode: text })).catch([]),
});

const repliedSchema: z.ZodType<RepliedMessage> = z.object({
  msgType: text,
  senderId: text,
  content: z.object({ text }).catch({ text: "" }),
});

/** A message to the robot. */
export const robotMessageSchema: z.ZodType<RobotMessage> = z.object({
  msgId: text,
  msgtype: text,
  conversationType: text,
  conversationId: text,
  conversationTitle: text,
  senderId: text,
  senderStaffId: text,
  senderNick: text,
  chatbotUserId: text,
  isInAtList: z.boolean().nullable().catch(null),
  createAt: z.coerce.number().catch(0),
  text: z.object({
    content: text,
    isReplyMsg: z.boolean().catch(false),
    repliedMsg: repliedSchema.nullable().catch(null),
  }).catch({ content: "", isReplyMsg: false, repliedMsg: null }),
  content: contentSchema.catch(EMPTY_CONTENT),
});

/** A token of the app's. */
export const tokenSchema: z.ZodType<{ readonly accessToken: string; readonly expireIn: number }> = z
  .object({ accessToken: z.string().min(1), expireIn: z.number().default(7_200) });

/** Where a stream is. */
export const streamSchema: z.ZodType<{ readonly endpoint: string; readonly ticket: string }> = z
  .object({ endpoint: z.url(), ticket: z.string() });

/** What a send tells. */
export interface SendAnswer {
  readonly processQueryKey: string;
  /** People whom DingTalk does not know, and who therefore got nothing. */
  readonly invalidStaffIdList: readonly string[];
  /** People who got nothing because they got too much. */
  readonly flowControlledStaffIdList: readonly string[];
}

/** What a send tells. */
export const sendAnswerSchema: z.ZodType<SendAnswer> = z.object({
  processQueryKey: z.string(),
  invalidStaffIdList: z.array(z.string()).nullish().transform((list) => list ?? []),
  flowControlledStaffIdList: z.array(z.string()).nullish().transform((list) => list ?? []),
});

/** Where a file of a person's is. */
export const fileAddressSchema: z.ZodType<{ readonly downloadUrl: string }> = z
  .object({ downloadUrl: z.url() });

/** What an upload tells; it was spelled in more than one way. */
export const uploadSchema: z.ZodType<string> = z.union([
  z.object({ media_id: z.string() }).transform(({ media_id: id }) => id),
  z.object({ mediaId: z.string() }).transform(({ mediaId }) => mediaId),
  z.object({ result: z.object({ media_id: z.string() }) })
    .transform(({ result }) => result.media_id),
  z.object({ result: z.object({ mediaId: z.string() }) }).transform(({ result }) => result.mediaId),
]);

/** A refusal of the newer API. */
export const refusalSchema: z.ZodType<{ readonly code: string; readonly message: string }> = z
  .object({ code: z.string(), message: text });

/** The end of a call of the older API; 0 for one that went well. */
export const endSchema: z.ZodType<{ readonly errcode: number; readonly errmsg: string }> = z
  .object({ errcode: z.number(), errmsg: text });
