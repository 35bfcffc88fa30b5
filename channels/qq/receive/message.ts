/**
 * A received message as the gateway takes it in: its ids, its words, and whether it is a command.
 * @module
 */

import { z } from "zod";
import type { ChannelInbound } from "../../channel.ts";
import { joinedLines } from "../../joined_lines.ts";
import { lateNote } from "../../lateness.ts";
import type { QqMessage } from "../wire.ts";

/** A message that was admitted. */
export interface Received {
  readonly message: QqMessage;
  /** In milliseconds; 0 for one that comes in time. */
  readonly lateMs: number;
}

const QUOTE_CHARS_MAX = 500;
const NAME_CHARS_MAX = 64;
/** A face, in the platform's tag: what it shows stands in it as JSON in base64. */
const FACE = /<faceType=\d+,\s*faceId="[^"]*",\s*ext="([^"]*)">/g;
const faceSchema = z.object({ text: z.string() });
/** Chats of guilds escape what would begin a tag. */
const ESCAPES: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** The message as the gateway takes it in, but for its text and media. */
export function inboundOf(
  { message: { id, kind, chatId, senderId, guildId } }: Received,
  saidMs: number,
): Omit<ChannelInbound, "content" | "media"> {
  return {
    platformId: id,
    chatId,
    senderId,
    context: {
      message_id: id,
      chat_id: chatId,
      kind,
      said_ms: saidMs,
      ...(guildId !== "" && { guild_id: guildId }),
    },
  };
}

/** What the person wrote. */
export function wordsOf({ kind, content }: QqMessage): string {
  const told = kind === "direct"
    ? content.replace(/&(?:lt|gt|amp);/g, (escape) => ESCAPES[escape] ?? escape)
    : content;
  return told.replace(FACE, (_tag, extra: string) => faceText(extra)).trim();
}

/** The command that a message is, bare; null when it is none. */
export function commandIn(message: QqMessage): string | null {
  const words = wordsOf(message);
  return /^\/[a-z]/i.test(words) && message.attachments.length === 0 ? words : null;
}

/** A message as text, with these lines about its files. */
export function contentOf(
  { message, lateMs }: Received,
  fileLines: readonly string[],
): string {
  const lines = [lateNote(lateMs), quoteLine(message), wordsOf(message), ...fileLines];
  const said = lines.filter((line) => line !== "").join("\n") || "[empty message]";
  const name = [...message.senderName.replace(/[\p{Cc}\p{Cf}()<>]/gu, "").trim()]
    .slice(0, NAME_CHARS_MAX).join("");
  // In groups it must be clear who speaks; the platform tells no name as a rule.
  return message.kind === "group"
    ? `${name === "" ? message.senderId : `${name} (${message.senderId})`}: ${said}`
    : said;
}

function quoteLine({ quoted }: QqMessage): string {
  if (quoted === "") return "";
  const words = [...joinedLines(quoted)];
  if (words.length <= QUOTE_CHARS_MAX) return `[Reply to: ${words.join("")}]`;
  return `[Reply to: ${words.slice(0, QUOTE_CHARS_MAX).join("")}...]`;
}

function faceText(extra: string): string {
  try {
    const text = new TextDecoder().decode(Uint8Array.fromBase64(extra));
    return `[${faceSchema.parse(JSON.parse(text)).text}]`;
  } catch {
    return "[face]"; // the platform changed how it tells
  }
}
