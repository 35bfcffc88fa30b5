/**
 * Text and files of a message, or of the messages of an album.
 * @module
 */

import { basename } from "node:path";
import { getLogger } from "@logtape/logtape";
import type { InboundContents, Transcription } from "../../channel.ts";
import { durationText } from "../../lateness.ts";
import type { TelegramMessage } from "../wire.ts";
import { type BotName, wordsOf } from "./addressing.ts";
import type { Downloads } from "./downloads.ts";
import { platformIdOf } from "./message.ts";
import { detailsOf, fileOf, forwardLine, type MessageFile, nameOf, replyLine } from "./parts.ts";

const logger = getLogger(["troupe", "telegram", "contents"]);

/** What reading contents needs. */
export interface ContentsOptions {
  readonly bot: BotName;
  readonly downloads: Pick<Downloads, "fetch">;
  readonly transcribe: (path: string) => Promise<Transcription>;
}

/** A message, or the messages of an album. */
export interface Received {
  readonly album: readonly TelegramMessage[];
  /** How late it came; 0 for in time. */
  readonly lateMs: number;
}

/** A file as words, and where it lies. */
interface Fetched {
  readonly tag: string;
  readonly media: readonly string[];
}

/** Reads the contents of messages. */
export class Contents {
  readonly #options: ContentsOptions;

  constructor(options: ContentsOptions) {
    this.#options = options;
  }

  /** The contents of messages for which nothing has to be fetched; null for others. */
  atOnce({ album, lateMs }: Received): InboundContents | null {
    if (album.some((message) => fileOf(message) !== null || quotedFile(message) !== null)) {
      return null;
    }
    const [first] = album;
    if (first === undefined) return null;
    return {
      content: this.#compose(first, [lateLine(lateMs), this.#textOf(first, "")]),
      media: [],
    };
  }

  /** Fetches what there is to fetch; rejects only when the channel stops. */
  async fetch({ album, lateMs }: Received): Promise<InboundContents> {
    const [first] = album;
    if (first === undefined) return { content: "[message]", media: [] };
    const pieces = await Promise.all(album.map((message, index) => this.#piece(message, index)));
    return {
      content: this.#compose(first, [lateLine(lateMs), ...pieces.map(({ tag }) => tag)]),
      media: [...new Set(pieces.flatMap(({ media }) => media))],
    };
  }

  /** As far as it can be read without fetching anything. */
  bare({ album, lateMs }: Received): InboundContents {
    const [first] = album;
    if (first === undefined) return { content: "[message]", media: [] };
    const lines = album.map((message) => {
      const file = fileOf(message);
      return withTag(this.#textOf(message, ""), file === null ? "" : `[${file.label}]`);
    });
    return { content: this.#compose(first, [lateLine(lateMs), ...lines]), media: [] };
  }

  async #piece(message: TelegramMessage, index: number): Promise<Fetched> {
    const { reply_to_message: answered } = message;
    const quoted = quotedFile(message);
    const own = fileOf(message);
    const [theirs, ours] = await Promise.all([
      quoted === null || answered === undefined ? null : this.#file(quoted, answered, 0),
      own === null ? null : this.#file(own, message, index),
    ]);
    // A quoted file that cannot be had is nothing to speak of; an own one is.
    const quoteTag = theirs === null || theirs.media.length === 0 ? "" : theirs.tag;
    return {
      tag: withTag(this.#textOf(message, quoteTag), ours?.tag ?? ""),
      media: [...theirs?.media ?? [], ...ours?.media ?? []],
    };
  }

  async #file(part: MessageFile, message: TelegramMessage, index: number): Promise<Fetched> {
    const platformId = platformIdOf(message, this.#options.bot);
    const file = await this.#options.downloads.fetch({ ...part, platformId, index });
    if (file.state === "failed") {
      return { tag: `[${part.label}: download failed (${file.reason})]`, media: [] };
    }
    const { path } = file;
    if (part.kind !== "audio") return { tag: `[${part.label}: ${basename(path)}]`, media: [path] };
    return { tag: await this.#soundTag(part, path), media: [path] };
  }

  async #soundTag({ label }: MessageFile, path: string): Promise<string> {
    const heard = await this.#options.transcribe(path);
    if (heard.state === "transcribed" && heard.text.trim() !== "") {
      return `[transcription: ${heard.text.trim()}]`;
    }
    if (heard.state !== "failed") return `[${label}: ${basename(path)}]`;
    logger.warn("{file} was not written down: {reason}", {
      file: basename(path),
      reason: heard.reason,
    });
    return `[${label}: ${basename(path)} (transcription failed)]`;
  }

  #textOf(message: TelegramMessage, quoteTag: string): string {
    const lines = [
      forwardLine(message),
      replyLine(message, this.#options.bot.id, quoteTag),
      wordsOf(message).text.trim(),
      ...detailsOf(message),
    ];
    return lines.filter((line) => line !== "").join("\n");
  }

  /** In groups it must be clear who speaks. */
  #compose({ chat, from }: TelegramMessage, lines: readonly string[]): string {
    const said = lines.filter((line) => line !== "").join("\n") || "[empty message]";
    return chat.type === "private" || from === undefined ? said : `${nameOf(from)}: ${said}`;
  }
}

function quotedFile({ reply_to_message: answered }: TelegramMessage): MessageFile | null {
  return answered === undefined ? null : fileOf(answered);
}

function lateLine(lateMs: number): string {
  return lateMs === 0 ? "" : `[sent ${durationText(lateMs)} ago, delivered late]`;
}

function withTag(text: string, tag: string): string {
  return [text, tag].filter((line) => line !== "").join("\n");
}
