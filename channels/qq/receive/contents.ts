/**
 * Text and files of a message.
 * @module
 */

import { basename } from "node:path";
import { getLogger } from "@logtape/logtape";
import { asJson, type JsonObject } from "../../../actors/kernel/json.ts";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { z } from "zod";
import type { InboundContents } from "../../channel.ts";
import type { Incomplete } from "../../drafts.ts";
import { MediaError, type MediaStore, tooLarge } from "../../media/adapters/media_store.ts";
import { bracketed } from "../../media/bracketed.ts";
import { type Downloaded, Fetches } from "../../media/fetches.ts";
import { type MediaKind, mediaName } from "../../media/media_name.ts";
import type { Speech } from "../../media/speech.ts";
import { shortHash } from "../../short_hash.ts";
import { isPassing, QqRefusedError, toldWaitOf } from "../errors.ts";
import type { QqLink } from "../link.ts";
import { isFileHost, type QqSection } from "../manifest.ts";
import { type Attachment, type QqMessage, storedMessageSchema } from "../wire.ts";
import { contentOf, type Received } from "./message.ts";

const logger = getLogger(["troupe", "qq", "contents"]);

/** What reading contents needs. */
export interface ContentsOptions {
  readonly section: QqSection;
  readonly link: Pick<QqLink, "download">;
  readonly store: MediaStore;
  readonly speech: Speech;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A file as words, and where it lies. */
interface Fetched {
  readonly line: string;
  readonly media: readonly string[];
}

const draftSchema = z.object({ message: storedMessageSchema, lateMs: z.number().catch(0) });

/** What a draft keeps of its message. */
export function draftOf({ message, lateMs }: Received): JsonObject {
  const attachments = message.attachments.map((attachment) => ({ ...attachment }));
  return asJson({ message: { ...message, attachments }, lateMs });
}

/** Reads the contents of messages. */
export class Contents {
  readonly #options: ContentsOptions;
  readonly #fetches: Fetches;

  constructor(options: ContentsOptions) {
    this.#options = options;
    const { clock, signal } = options;
    this.#fetches = new Fetches({ logger, clock, signal, waitOf, reasonOf });
  }

  /** The contents of a message without files; null for others. */
  atOnce(received: Received): InboundContents | null {
    if (received.message.attachments.length > 0) return null;
    return { content: contentOf(received, []), media: [] };
  }

  /** What a draft lacks; null for what is no draft. */
  read(draft: JsonObject): Incomplete | null {
    const received = draftSchema.safeParse(draft).data;
    if (received === undefined) return null;
    return {
      fetch: () => this.#fetch(received),
      bare: () => ({
        content: contentOf(
          received,
          received.message.attachments.map((attachment) => bracketed(kindOf(attachment), "")),
        ),
        media: [],
      }),
    };
  }

  async #fetch(received: Received): Promise<InboundContents> {
    const { message } = received;
    const files = await Promise.all(
      message.attachments.map((attachment, index) => this.#file(message, attachment, index)),
    );
    return {
      content: contentOf(received, files.map(({ line }) => line)),
      media: files.flatMap(({ media }) => media),
    };
  }

  async #file(message: QqMessage, attachment: Attachment, index: number): Promise<Fetched> {
    const kind = kindOf(attachment);
    const file = await this.#download(message, attachment, index);
    const heard = attachment.asr_refer_text.trim();
    const media = file.state === "ok" ? [file.path] : [];
    if (heard !== "") return { line: bracketed("transcription", heard), media };
    if (file.state === "failed") {
      return { line: `[${kind}: download failed (${file.reason})]`, media };
    }
    const { path } = file;
    if (kind === "audio") return { line: await this.#options.speech.textOf(path), media };
    return { line: bracketed(kind, basename(path)), media };
  }

  async #download(
    { id }: QqMessage,
    attachment: Attachment,
    index: number,
  ): Promise<Downloaded> {
    const { section } = this.#options;
    const address = attachment.voice_wav_url || attachment.url;
    if (!isFileHost(address, section)) {
      return { state: "failed", reason: "it lies on a server that is not QQ's" };
    }
    return await this.#fetches.fetch(id, () => this.#downloadOnce(id, attachment, index));
  }

  async #downloadOnce(id: string, attachment: Attachment, index: number): Promise<string> {
    const { section: { downloadMaxBytes: bytesMax }, link, store, signal } = this.#options;
    const { voice_wav_url: wavUrl, url, filename, content_type, size } = attachment;
    if (size > bytesMax) throw tooLarge(size, bytesMax);
    return await link.download(wavUrl || url, async ({ body, contentType, length }) => {
      const name = mediaName({
        messageId: shortHash(id, 16),
        index,
        kind: kindOf(attachment),
        key: shortHash(url, 16),
        names: [wavUrl === "" ? filename : `${filename || "voice"}.wav`],
        contentType: content_type.includes("/") ? content_type : contentType,
      });
      return await store.save(name, body, { bytesMax, length });
    }, signal);
  }
}

/** By what the platform says it is. */
function kindOf({ content_type: type }: Attachment): MediaKind {
  if (type === "voice" || type.startsWith("audio")) return "audio";
  if (type.startsWith("image")) return "image";
  return type.startsWith("video") ? "video" : "file";
}

/** A body that breaks off fails with whatever the engine says; that may pass. */
function waitOf(error: unknown): number | null {
  const isRefused = error instanceof QqRefusedError && !isPassing(error);
  return isRefused || error instanceof MediaError ? null : toldWaitOf(error);
}

/** In words for a person and a model. */
function reasonOf(error: unknown): string {
  if (error instanceof MediaError) return "too large";
  return error instanceof QqRefusedError ? `code ${error.status}` : "no connection";
}
