/**
 * The protocol: what clients send, parsed, and what they are sent. `docs/channels/websocket.md`
 * tells strangers of it.
 * @module
 */

import { z } from "zod";
import type { Choice } from "../channel.ts";

/** Files of one message. */
const FILES_MAX = 8;
/** A name with a path in front of it is no longer. */
const NAME_CHARS_MAX = 1_000;
const CHAT_ID = /^[A-Za-z0-9_:-]{1,64}$/;

/** Whether a text can be the id of a chat. */
export function isChatId(text: string): boolean {
  return CHAT_ID.test(text);
}

/** A file that a client sends within a message. */
export interface FileIn {
  readonly name: string;
  /** MIME type; "" when the client does not say. */
  readonly type: string;
  /** Base64. */
  readonly data: string;
}

/** A message of a client's. */
export interface MessageIn {
  readonly type: "message";
  readonly chat_id: string;
  readonly content: string;
  /** The client's own id of it, by which a repetition is known. */
  readonly client_msg_id?: string | undefined;
  readonly media: readonly FileIn[];
}

/** A client takes one of the answers that a message suggests. */
export interface ChooseIn {
  readonly type: "choose";
  readonly chat_id: string;
  readonly message_id: string;
  /** Which of them, from 0. */
  readonly choice: number;
}

/** What a client sends, understood. */
export type FrameIn =
  | { readonly type: "new_chat" }
  | { readonly type: "attach"; readonly chat_id: string; readonly since?: number | undefined }
  | { readonly type: "detach"; readonly chat_id: string }
  | { readonly type: "ping"; readonly id?: string | undefined }
  | ChooseIn
  | MessageIn;

/** Visible characters. */
const clientMessageId: z.ZodType<string> = z.string().regex(/^[\x21-\x7e]{1,128}$/);
const chatId: z.ZodType<string> = z.string().regex(CHAT_ID);

const fileSchema: z.ZodType<FileIn> = z.object({
  name: z.string().max(NAME_CHARS_MAX).default(""),
  type: z.string().max(200).default(""),
  data: z.base64(),
});

const frameSchema: z.ZodType<FrameIn> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("new_chat") }),
  z.object({ type: z.literal("attach"), chat_id: chatId, since: z.int().min(0).optional() }),
  z.object({ type: z.literal("detach"), chat_id: chatId }),
  z.object({ type: z.literal("ping"), id: z.string().max(200).optional() }),
  z.object({
    type: z.literal("choose"),
    chat_id: chatId,
    message_id: z.string().min(1).max(500),
    choice: z.int().min(0),
  }),
  z.object({
    type: z.literal("message"),
    chat_id: chatId,
    content: z.string().default(""),
    client_msg_id: clientMessageId.optional(),
    media: z.array(fileSchema).max(FILES_MAX).default([]),
  }).refine(({ content, media }) => content.trim() !== "" || media.length > 0, {
    message: "missing content",
    path: ["content"],
  }),
]);

/** A frame, or what is wrong with it; `nothing` is passed over. */
export type ParsedFrame =
  | { readonly state: "frame"; readonly frame: FrameIn }
  | { readonly state: "text"; readonly content: string }
  | { readonly state: "wrong"; readonly detail: string; readonly clientMessageId?: string }
  | { readonly state: "nothing" };

/** Reads a frame. What is no object with a type is text for the client's first chat. */
export function parseFrame(text: string): ParsedFrame {
  if (text.trim() === "") return { state: "nothing" };
  const object = text.trimStart().startsWith("{") ? jsonOf(text) : undefined;
  const known = z.record(z.string(), z.unknown()).safeParse(object).data;
  if (known === undefined) return { state: "text", content: text };
  if (typeof known["type"] !== "string") return bareText(known);
  const read = frameSchema.safeParse(known);
  if (read.success) return { state: "frame", frame: read.data };
  const id = clientMessageId.safeParse(known["client_msg_id"]).data;
  const detail = faultOf(known["type"], read.error);
  return { state: "wrong", detail, ...(id !== undefined && { clientMessageId: id }) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function bareText(object: Readonly<Record<string, unknown>>): ParsedFrame {
  const content = ["content", "text", "message"].map((key) => object[key])
    .find((value) => typeof value === "string" && value.trim() !== "");
  return typeof content === "string" ? { state: "text", content } : { state: "nothing" };
}

const FAULTS: Readonly<Record<string, string>> = {
  chat_id: "invalid chat_id",
  content: "missing content",
  media: "invalid media",
  client_msg_id: "invalid client_msg_id",
  since: "invalid since",
};

function faultOf(type: string, { issues: [issue] }: z.ZodError): string {
  const [key = ""] = issue?.path ?? [];
  if (key === "type") return `unknown type: ${type.slice(0, 100)}`;
  return FAULTS[String(key)] ?? `invalid ${String(key)}`;
}

/** A file as a client is told of it. */
export interface FileOut {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  /** Begins with `/`; good for a day, for whoever has it. */
  readonly url: string;
  /** The address by which the text shows it, if it does. */
  readonly shown_as?: string;
}

/** How a message of a client's ended. */
export interface SettledOut {
  readonly client_msg_id: string;
  readonly client_id: string;
  readonly outcome: "done" | "failed" | "stopped";
}

/** What a message of the assistant's holds. */
export interface MessageOut {
  readonly chat_id: string;
  readonly seq: number;
  readonly message_id: string;
  readonly text: string;
  readonly format: "markdown" | "plain";
  readonly media?: readonly FileOut[];
  readonly choices?: readonly Choice[];
  readonly reply_to?: string;
  readonly settles?: readonly SettledOut[];
}

/** What a client is sent. */
export type FrameOut =
  | { readonly event: "ready"; readonly chat_id: string; readonly client_id: string }
  /** What follows begins after `seq`. */
  | { readonly event: "attached"; readonly chat_id: string; readonly seq: number }
  | { readonly event: "detached"; readonly chat_id: string }
  | {
    readonly event: "accepted";
    readonly chat_id: string;
    readonly client_msg_id: string;
    readonly duplicate: boolean;
  }
  | {
    readonly event: "error";
    readonly detail: string;
    readonly client_msg_id?: string;
    /** The same frame may be sent again, a little later. */
    readonly retry?: true;
  }
  | { readonly event: "pong"; readonly id?: string }
  | {
    readonly event: "waiting";
    readonly chat_id: string;
    readonly client_msg_id: string;
    readonly waiting: boolean;
  }
  | { readonly event: "gap"; readonly chat_id: string; readonly seq: number }
  | {
    readonly event: "delta";
    readonly chat_id: string;
    readonly stream_id: string;
    readonly text: string;
    /** Where `text` stands in the answer, in UTF-16 units; what stood there and after it is void. */
    readonly offset: number;
  }
  | (MessageOut & { readonly event: "stream_end"; readonly stream_id: string })
  | (MessageOut & { readonly event: "message"; readonly kind?: undefined })
  | {
    readonly event: "message";
    readonly kind: "tool_hint" | "reasoning";
    readonly chat_id: string;
    readonly stream_id: string;
    readonly text: string;
  }
  | (MessageOut & { readonly event: "update" })
  | {
    readonly event: "settled";
    readonly chat_id: string;
    readonly seq: number;
    readonly settles: readonly SettledOut[];
  };
