/**
 * What a message consists of: words, and files that are to be fetched.
 * @module
 */

import type { MediaKind } from "../../media/media_name.ts";
import type { BareMessage, Named, TelegramFile, TelegramMessage, TelegramUser } from "../wire.ts";
import { wordsOf } from "./addressing.ts";

/** A file of a message. */
export interface MessageFile {
  /** Names it in the text. */
  readonly label: "image" | "voice" | "audio" | "file" | "video" | "animation" | "sticker";
  readonly kind: MediaKind;
  readonly file: TelegramFile;
}

/** Quoted text that is longer is cut. */
const QUOTE_CHARS_MAX = 4_000;

/** The file of a message; null without one. */
export function fileOf(message: BareMessage): MessageFile | null {
  const { photo, voice, audio, animation, video, video_note: note, sticker, document } = message;
  const largest = photo?.at(-1);
  if (largest !== undefined) return { label: "image", kind: "image", file: largest };
  if (voice !== undefined) return { label: "voice", kind: "audio", file: voice };
  if (audio !== undefined) return { label: "audio", kind: "audio", file: audio };
  // An animation comes as a document as well.
  if (animation !== undefined) return { label: "animation", kind: "video", file: animation };
  const moving = video ?? note;
  if (moving !== undefined) return { label: "video", kind: "video", file: moving };
  if (sticker !== undefined) {
    return { label: "sticker", kind: "image", file: withName(sticker, "sticker.webp") };
  }
  return document === undefined ? null : { label: "file", kind: "file", file: document };
}

/** Whether a message says nothing: somebody joined, a message was pinned. */
export function isBlank(message: TelegramMessage): boolean {
  return wordsOf(message).text.trim() === "" && fileOf(message) === null &&
    detailsOf(message).length === 0;
}

/** What a message says besides its text and file, line by line. */
export function detailsOf(message: BareMessage): readonly string[] {
  const { location, venue, contact, poll, dice, sticker } = message;
  const details: string[] = [];
  if (venue !== undefined) details.push(`[venue: ${venue.title}, ${venue.address}]`);
  const place = venue?.location ?? location;
  if (place !== undefined) details.push(`[location: ${place.latitude}, ${place.longitude}]`);
  if (contact !== undefined) {
    details.push(`[contact: ${contact.first_name}, ${contact.phone_number}]`);
  }
  if (poll !== undefined) {
    details.push(`[poll: ${poll.question} (${poll.options.map(({ text }) => text).join(" / ")})]`);
  }
  if (dice !== undefined) details.push(`[${dice.emoji} ${dice.value}]`);
  if (sticker?.emoji !== undefined) details.push(`[sticker ${sticker.emoji}]`);
  return details;
}

/** Who wrote first what was forwarded; "" for what was not. */
export function forwardLine({ forward_origin: origin }: BareMessage): string {
  if (origin === undefined) return "";
  const { sender_user: user, sender_user_name: name, sender_chat: chat, chat: channel } = origin;
  const who = user === undefined ? name ?? titleOf(chat ?? channel) : nameOf(user);
  return `[Forwarded from ${who || "somebody"}]`;
}

/**
 * The line about the message that is answered; "" when nothing is answered, or only its file.
 *
 * @param fileTag stands in for words that are missing
 */
export function replyLine(message: TelegramMessage, botId: number, fileTag: string): string {
  const { reply_to_message: answered, quote } = message;
  if (answered === undefined || answered.forum_topic_created !== undefined) return "";
  const text = (quote?.text ?? wordsOf(answered).text).trim();
  const words = text === ""
    ? fileTag
    : text.length > QUOTE_CHARS_MAX
    ? `${text.slice(0, QUOTE_CHARS_MAX).toWellFormed()}...`
    : text;
  if (words === "") return "";
  return `[Reply to${answeredName(answered, botId)}: ${words}]`;
}

/** A person as a model can name and mention them. */
export function nameOf({ first_name: first, username, id }: TelegramUser): string {
  const handle = username === undefined ? String(id) : `@${username}`;
  return first === "" ? handle : `${first} (${handle})`;
}

function answeredName({ from }: BareMessage, botId: number): string {
  if (from === undefined) return "";
  if (from.id === botId) return " bot";
  const name = from.username === undefined ? from.first_name : `@${from.username}`;
  return name === "" ? "" : ` ${name}`;
}

function titleOf(named: Named | undefined): string {
  return named?.title ?? named?.first_name ?? "";
}

function withName(file: TelegramFile, name: string): TelegramFile {
  return { ...file, file_name: file.file_name ?? name };
}
