/**
 * Looks in the chat for a message whose sending had no clear end, when its key no longer tells.
 * @module
 */

import type { Lookups } from "../lookups.ts";
import { readable } from "../render/escape.ts";
import { decodeJson, type StoredMessage } from "../wire.ts";
import { messageOf } from "./parts.ts";
import type { DeliveryRecord } from "./record.ts";
import type { PartRecord } from "./state.ts";
import type { Target } from "./target.ts";

/** Clocks differ, and a message may have been on its way for a while. */
const SLACK_MS = 120_000;
/** Pages of fifty messages: a chat that said more in the meantime is not searched to its end. */
const PAGES_MAX = 20;

/** What looking up needs. */
export interface LookUpOptions {
  readonly lookups: Lookups;
  readonly target: Target;
  /** A message of the chat, whose own id is not known in direct chats; "" for none. */
  readonly knownMessageId: string;
  /** The topic that is answered in; "" for none. */
  readonly threadId: string;
  readonly nowMs: number;
}

/**
 * Finds the part that may have been sent. `found` notes it as sent and `missing` as not tried, so
 * that the rest can be sent; nothing is stored.
 */
export async function lookUpPart(
  record: DeliveryRecord,
  options: LookUpOptions,
  signal: AbortSignal,
): Promise<"found" | "missing" | "cannot_tell"> {
  const { parts, sent, attempt_ms: attemptMs } = record.state;
  const part = parts?.[sent.length];
  if (part === undefined || attemptMs === null) return "missing";
  const container = await containerOf(options, signal);
  if (container === undefined) return "cannot_tell";
  const range = { fromMs: attemptMs - SLACK_MS, toMs: options.nowMs + SLACK_MS };
  let pageToken = "";
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await options.lookups.history({ ...container, ...range, pageToken }, signal);
    const match = page.items.find((message) =>
      !sent.includes(message.message_id) && shows(message, part)
    );
    if (match !== undefined) {
      record.note({ sent: [...sent, match.message_id], attempt_ms: null });
      return "found";
    }
    pageToken = page.page_token;
    if (!page.has_more) {
      record.note({ attempt_ms: null });
      return "missing";
    }
  }
  return "cannot_tell";
}

async function containerOf(
  { lookups, target, knownMessageId, threadId }: LookUpOptions,
  signal: AbortSignal,
): Promise<{ readonly kind: "chat" | "thread"; readonly id: string } | undefined> {
  if (target.isInTopic) return threadId === "" ? undefined : { kind: "thread", id: threadId };
  if (target.chatId.startsWith("oc_")) return { kind: "chat", id: target.chatId };
  if (knownMessageId === "") return undefined;
  const [known] = await lookups.messages(knownMessageId, signal);
  return known === undefined || known.chat_id === ""
    ? undefined
    : { kind: "chat", id: known.chat_id };
}

/** Is the message the part? The platform gives contents back in other words. */
function shows(message: StoredMessage, part: PartRecord): boolean {
  const { msgType, content } = messageOf(part);
  if (message.sender.sender_type !== "app" || message.msg_type !== msgType) return false;
  const shown = lettersIn(decodeJson(message.body.content));
  const sent = part.source === "" ? lettersIn(decodeJson(content)) : letters(source(part));
  return msgType === "interactive" ? isAlike(shown, sent) : shown === sent;
}

function source({ form, source }: PartRecord): string {
  return form === "interactive" ? readable(source) : source;
}

/** Cards come back simplified: their beginning must agree. */
function isAlike(shown: string, sent: string): boolean {
  const length = Math.min(shown.length, sent.length, 60);
  return length > 0 && shown.slice(0, length) === sent.slice(0, length);
}

const TEXT_KEYS: ReadonlySet<string> = new Set(["text", "content", "image_key", "file_key"]);

function lettersIn(content: unknown): string {
  return letters(stringsIn(content).join(""));
}

function stringsIn(value: unknown, key = ""): string[] {
  if (typeof value === "string") return TEXT_KEYS.has(key) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) =>
    stringsIn(child, Array.isArray(value) ? key : name)
  );
}

/** Marks, mentions and white space are spelt differently on the way back. */
function letters(text: string): string {
  return text.replace(/<at [^>]*>|<\/at>|@_user_\d+|@[^@()\n]{1,64} \(ou_\w+\)/g, "")
    .replace(/\]\([^)\s]*\)/g, "").replace(/[^\p{L}\p{N}]/gu, "");
}
