/**
 * What a message is made of: words, a file, and other things that are told in words.
 * @module
 */

import type { MediaKind } from "../../media/media_name.ts";
import { bracketed } from "../../media/bracketed.ts";
import { idOf, isSame, type PersonIds, personOf } from "../ids.ts";
import type { FileKind } from "../link.ts";
import type {
  Contents,
  FileMessage,
  LocationMessage,
  MessageContext,
  PollMessage,
} from "../wire.ts";

/** A file of a message. */
export interface MessageFile {
  /** For people: `image`, `voice`. */
  readonly label: string;
  readonly kind: MediaKind;
  /** How it is encrypted. */
  readonly cipher: FileKind;
  readonly file: FileMessage;
}

/** Messages are wrapped a few times at most. */
const WRAPS_MAX = 5;
/** A quoted text is only reminded of. */
const QUOTE_CHARS_MAX = 500;

/** The contents without what they are wrapped in: messages that vanish, or are seen once. */
export function unwrapped(contents: Contents): Contents {
  let inner = contents;
  for (let wraps = 0; wraps < WRAPS_MAX; wraps++) {
    const wrapper = inner.ephemeralMessage ?? inner.viewOnceMessage ?? inner.viewOnceMessageV2 ??
      inner.viewOnceMessageV2Extension ?? inner.documentWithCaptionMessage ??
      inner.deviceSentMessage ?? inner.groupMentionedMessage ?? inner.lottieStickerMessage;
    if (wrapper?.message === undefined) break;
    inner = wrapper.message;
  }
  return inner;
}

/** What was written: the text, or the words beside a file. */
export function wordsOf(contents: Contents): string {
  const { conversation, extendedTextMessage, buttonsResponseMessage, listResponseMessage } =
    contents;
  return conversation ?? extendedTextMessage?.text ?? fileOf(contents)?.file.caption ??
    buttonsResponseMessage?.selectedDisplayText ??
    contents.templateButtonReplyMessage?.selectedDisplayText ?? listResponseMessage?.title ?? "";
}

/** The file of a message; null for one without. */
export function fileOf(contents: Contents): MessageFile | null {
  const { imageMessage: image, audioMessage: audio, documentMessage, stickerMessage } = contents;
  const video = contents.videoMessage ?? contents.ptvMessage;
  if (image !== undefined) return { label: "image", kind: "image", cipher: "image", file: image };
  if (video !== undefined) {
    const label = video.gifPlayback === true ? "animation" : "video";
    return { label, kind: "video", cipher: "video", file: video };
  }
  if (audio !== undefined) return { label: "voice", kind: "audio", cipher: "voice", file: audio };
  if (stickerMessage !== undefined) {
    return { label: "sticker", kind: "image", cipher: "image", file: stickerMessage };
  }
  if (documentMessage === undefined) return null;
  return { label: "file", kind: "file", cipher: "document", file: documentMessage };
}

/** What a message refers to. */
export function contextOf(contents: Contents): MessageContext | undefined {
  return contents.extendedTextMessage?.contextInfo ?? fileOf(contents)?.file.contextInfo ??
    contents.locationMessage?.contextInfo ?? contents.liveLocationMessage?.contextInfo ??
    pollOf(contents)?.contextInfo;
}

/** What a message says besides its words and file, line by line. */
export function detailsOf(contents: Contents): readonly string[] {
  const { locationMessage, liveLocationMessage, contactMessage, contactsArrayMessage } = contents;
  const place = locationMessage ?? liveLocationMessage;
  const cards = [...contactMessage === undefined ? [] : [contactMessage]]
    .concat(contactsArrayMessage?.contacts ?? []);
  const poll = pollOf(contents);
  return [
    ...(place === undefined ? [] : placeLines(place)),
    ...cards.map(({ displayName = "", vcard = "" }) => {
      const numbers = [...vcard.matchAll(/^(?:item\d+\.)?TEL[^:\n]*:(.+)$/gim)]
        .map(([, number = ""]) => number.trim());
      return bracketed("contact", [displayName, ...numbers].filter(Boolean).join(", "));
    }),
    ...(poll === undefined ? [] : [
      `[poll: ${poll.name ?? ""} (${
        poll.options.map(({ optionName }) => optionName).join(" / ")
      })]`,
    ]),
  ];
}

/** Does a message say nothing: a reaction, a vote, something of the protocol? */
export function isBlank(contents: Contents): boolean {
  return wordsOf(contents).trim() === "" && fileOf(contents) === null &&
    detailsOf(contents).length === 0;
}

/** Is one of these people mentioned, or answered? */
export function isAddressedTo(contents: Contents, person: PersonIds): boolean {
  const context = contextOf(contents);
  if (context === undefined) return false;
  return [...context.mentionedJid, context.participant]
    .some((jid) => isSame(personOf(jid), person));
}

/** The line about the message that is answered; "" when none is, or nothing is known of it. */
export function replyLine(contents: Contents, self: PersonIds): string {
  const context = contextOf(contents);
  if (context?.quotedMessage === undefined) return "";
  const quoted = unwrapped(context.quotedMessage);
  const file = fileOf(quoted);
  const text = wordsOf(quoted).trim() || (file === null ? "" : `[${file.label}]`);
  if (text === "") return "";
  const writer = personOf(context.participant);
  const who = isSame(writer, self) ? "bot" : idOf(writer);
  const words = text.length > QUOTE_CHARS_MAX
    ? `${text.slice(0, QUOTE_CHARS_MAX).toWellFormed()}...`
    : text;
  return `[Reply to${who === "" ? "" : ` ${who}`}: ${words}]`;
}

/** The text without calls of the bot at its start. */
export function withoutLeadingCall(text: string, self: PersonIds): string {
  const ids = [self.phone, self.lid].filter((id) => id !== null).join("|");
  return text.replace(new RegExp(`^(?:\\s*@(?:${ids})(?!\\d)[,:]?)+\\s*`), "");
}

function pollOf(contents: Contents): PollMessage | undefined {
  return contents.pollCreationMessage ?? contents.pollCreationMessageV2 ??
    contents.pollCreationMessageV3;
}

function placeLines(place: LocationMessage): readonly string[] {
  const { degreesLatitude, degreesLongitude, name = "", address = "" } = place;
  const { comment = "", caption = comment } = place;
  const named = [name, address].filter(Boolean).join(", ");
  return [
    ...(named === "" ? [] : [bracketed("venue", named)]),
    `[location: ${degreesLatitude}, ${degreesLongitude}]`,
    ...(caption === "" ? [] : [caption]),
  ];
}
