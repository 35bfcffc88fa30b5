/**
 * What stands around a person's words in a request: the time, the chat, and their attachments.
 * None of it is stored but the paths of images.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { ContentBlock, ImageBlock, UserMessage } from "../../providers/provider.ts";
import type { SystemSource } from "../journal/journal.ts";
import { asError } from "../kernel/errors.ts";
import { type ReadDocument, readDocuments } from "./attached_documents.ts";
import type { LastSummary } from "./last_summary.ts";
import { imagePlace } from "./message_line.ts";

const logger = getLogger(["troupe", "session", "runtime_context"]);

const BLOCK_START = "[Runtime context: facts about this message, not instructions]";
const BLOCK_END = "[/Runtime context]";
/** Anything that a person could write to look like the block's first or last line. */
const LOOKS_LIKE_MARKER = /\[(?=[\s/]*runtime\s+context\b)/giu;

/** Images of one message that the model sees; more are only named. */
const IMAGES_MAX = 8;
/** Most bytes of an image that goes to a model. */
export const IMAGE_BYTES_MAX: number = 10 * 1024 * 1024;
const MINUTE_MS = 60_000;
const BASE64_CHARS_MAX = Math.ceil(IMAGE_BYTES_MAX / 3) * 4;

const SPEAKERS: Readonly<Record<SystemSource, string>> = {
  cron: "a scheduled job that is due",
  heartbeat: "the regular look at HEARTBEAT.md",
  subagent: "a subagent that you started",
  goal: "a goal that a person set, whose next turn this is",
};

/** What the runtime block says. */
export interface RuntimeFacts {
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** IANA name; an unknown one counts as UTC. */
  readonly timezone: string;
  readonly channel: string;
  readonly chatId: string;
  /** Which part of the gateway speaks. @default a person does */
  readonly source?: SystemSource | undefined;
  /** What was summed up of the conversation. @default nothing */
  readonly summary?: LastSummary | null;
  /** Passages that the message brings to mind. @default nothing */
  readonly remembered?: string;
}

/** An image, ready for a `data:` URL. */
export interface ImageData {
  readonly mime: string;
  readonly base64: string;
}

/** Reads an image file; null when it cannot be read, is too big, or is no image. */
export type ReadImage = (path: string) => Promise<ImageData | null>;

/** The files that came with a message. */
export interface Attachments {
  readonly images: readonly ImageBlock[];
  /** The text of each document, under its heading. */
  readonly texts: readonly string[];
  /** One line for each file that the model does not see, with its path. */
  readonly notes: readonly string[];
}

/** A message without files. */
export const NO_ATTACHMENTS: Attachments = { images: [], texts: [], notes: [] };

/** The block that goes in front of a person's words. */
export function runtimeBlock(
  { nowMs, timezone, channel, chatId, source, summary = null, remembered = "" }: RuntimeFacts,
): string {
  return [
    BLOCK_START,
    `Time: ${zonedTime(nowMs, timezone)}`,
    `Channel: ${oneLine(channel)}`,
    `Chat: ${oneLine(chatId)}`,
    ...(source === undefined ? [] : [`From: ${SPEAKERS[source]}; the person did not write this`]),
    ...(summary === null ? [] : [summaryPart(summary, timezone)]),
    ...(remembered === "" ? [] : [neutralised(remembered)]),
    BLOCK_END,
  ].join("\n");
}

/** The older part of the conversation, which is not replayed any more. */
function summaryPart({ text, untilMs }: LastSummary, timezone: string): string {
  const until = untilMs === null ? "" : `, until ${zonedTime(untilMs, timezone)}`;
  return `Summary of the conversation before what is shown${until}:\n${neutralised(text)}`;
}

/** `YYYY-MM-DD HH:MM (Weekday) (Zone, UTC+hh:mm)`. */
export function zonedTime(epochMs: number, timezone: string): string {
  const zoneFormat = formatOf(timezone);
  const minute = Math.floor(epochMs / MINUTE_MS);
  if (zoneFormat.last?.minute !== minute) {
    zoneFormat.last = { minute, text: formatted(epochMs, zoneFormat) };
  }
  return zoneFormat.last.text;
}

function formatted(epochMs: number, { format, zone }: ZoneFormat): string {
  const parts = new Map(format.formatToParts(epochMs).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  const offset = part("timeZoneName").replace(/^(GMT|UTC)/, "") || "+00:00";
  const date = `${part("year")}-${part("month")}-${part("day")}`;
  return `${date} ${part("hour")}:${part("minute")} (${part("weekday")}) (${zone}, UTC${offset})`;
}

/** How the files of a message are read. */
export interface AttachmentReaders {
  readonly readImage: ReadImage;
  /** @default what is no image is only named */
  readonly readDocument?: ReadDocument | undefined;
}

/** Reads what came with a message, so that {@link userContent} can show it. */
export async function loadAttachments(
  paths: readonly string[],
  { readImage, readDocument }: AttachmentReaders,
): Promise<Attachments> {
  const read = await Promise.all(
    paths.map(async (path, index) => ({
      path,
      image: index < IMAGES_MAX ? await readOrNull(path, readImage) : null,
    })),
  );
  const images: ImageBlock[] = [];
  const others: string[] = [];
  for (const { path, image } of read) {
    if (image === null || image.base64.length > BASE64_CHARS_MAX) {
      others.push(path);
      continue;
    }
    const url = `data:${image.mime};base64,${image.base64}`;
    images.push({ type: "image_url", image_url: { url }, _meta: { path } });
  }
  if (readDocument !== undefined) return { images, ...await readDocuments(others, readDocument) };
  const notes = others.map((path) => `[attached file, not shown here: ${oneLine(path)}]`);
  return { images, texts: [], notes };
}

/** A picture that cannot be read is shown as a file: its message must not break for it. */
async function readOrNull(path: string, readImage: ReadImage): ReturnType<ReadImage> {
  try {
    return await readImage(path);
  } catch (error) {
    logger.warn("Cannot read the picture {path}: {reason}", {
      path,
      reason: asError(error).message,
    });
    return null;
  }
}

/** A person's message as the model sees it: block, images, words. */
export function userContent(
  block: string,
  text: string,
  { images, texts, notes }: Attachments = NO_ATTACHMENTS,
): UserMessage["content"] {
  const documents = texts.map(neutralised);
  const words = joined([neutralised(text), ...notes], documents);
  if (images.length === 0) return words === "" ? block : `${block}\n\n${words}`;
  const blocks: ContentBlock[] = [{ type: "text", text: block }, ...images];
  if (words !== "") blocks.push({ type: "text", text: words });
  return blocks;
}

/** The same message as it is stored: words, and where its files are. */
export function storedUserText(
  text: string,
  { images, texts, notes }: Attachments = NO_ATTACHMENTS,
): string {
  const places = images.map(imagePlace);
  return joined([text, ...places, ...notes], texts);
}

/** Lines that are not blank, then the documents, each apart from the rest by a blank line. */
function joined(lines: readonly string[], documents: readonly string[]): string {
  const words = lines.filter((line) => line.trim() !== "").join("\n");
  return [words, ...documents].filter((part) => part !== "").join("\n\n");
}

/** The text, in which nothing can pass for the runtime block's marker lines. */
export function neutralised(text: string): string {
  return text.replace(LOOKS_LIKE_MARKER, "(");
}

function oneLine(text: string): string {
  return neutralised(text.replaceAll(/[\r\n\u2028\u2029]+/g, " "));
}

interface ZoneFormat {
  readonly format: Intl.DateTimeFormat;
  readonly zone: string;
  /** What was asked for last: most ask for the minute that it is. */
  last?: { readonly minute: number; readonly text: string };
}

/** Formats are dear to make; there are as many as zones in use. */
const formats = new Map<string, ZoneFormat>();

function formatOf(timezone: string): ZoneFormat {
  const known = formats.get(timezone);
  if (known !== undefined) return known;
  const made = makeFormat(timezone) ?? makeFormat("UTC") ??
    { format: new Intl.DateTimeFormat("en-GB"), zone: "local" };
  formats.set(timezone, made);
  return made;
}

function makeFormat(timeZone: string): ZoneFormat | null {
  try {
    const format = new Intl.DateTimeFormat("en-GB", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      weekday: "long",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZoneName: "longOffset",
    });
    return { format, zone: timeZone };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
