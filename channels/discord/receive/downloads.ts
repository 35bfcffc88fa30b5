/**
 * Files of messages, fetched into the media folder.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { MediaError, type MediaStore, tooLarge } from "../../media/adapters/media_store.ts";
import { type Downloaded, Fetches } from "../../media/fetches.ts";
import { type MediaKind, mediaName } from "../../media/media_name.ts";
import type { DiscordApi } from "../api.ts";
import { DiscordRefusedError, passingWait } from "../errors.ts";
import type { DiscordLink } from "../link.ts";
import type { Attachment } from "../wire.ts";

const logger = getLogger(["troupe", "discord", "downloads"]);

/** As much as for other platforms, whatever people may pay for. */
const MEDIA_BYTES_MAX = 100 * 1024 * 1024;

/** What downloading needs. */
export interface DownloadsOptions {
  readonly link: Pick<DiscordLink, "download">;
  readonly api: Pick<DiscordApi, "message">;
  readonly store: MediaStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** @default 100 MB */
  readonly bytesMax?: number;
}

/** A file, and the message that it belongs to. */
export interface Wanted {
  readonly attachment: Attachment;
  readonly channelId: string;
  readonly messageId: string;
}

/** Downloads files of messages, a few at once. */
export class Downloads {
  readonly #options: DownloadsOptions;
  readonly #fetches: Fetches;

  constructor(options: DownloadsOptions) {
    this.#options = options;
    const { clock, signal } = options;
    const reasonOf = (error: unknown): string => this.#reasonOf(error);
    this.#fetches = new Fetches({ logger, clock, signal, waitOf: passingWait, reasonOf });
  }

  /**
   * Fetches a file, or finds it where an earlier attempt left it.
   *
   * @throws only the signal's reason
   */
  async fetch(wanted: Wanted): Promise<Downloaded> {
    let { url } = wanted.attachment;
    let isFresh = false;
    return await this.#fetches.fetch(wanted.messageId, async () => {
      try {
        return await this.#fetchOnce(wanted, url);
      } catch (error) {
        if (isFresh || !isSpent(error)) throw error;
        isFresh = true;
        url = await this.#freshAddress(wanted);
        return await this.#fetchOnce(wanted, url);
      }
    });
  }

  get #bytesMax(): number {
    return this.#options.bytesMax ?? MEDIA_BYTES_MAX;
  }

  async #fetchOnce({ attachment }: Wanted, url: string): Promise<string> {
    const { link, store, signal } = this.#options;
    const bytesMax = this.#bytesMax;
    if (attachment.size > bytesMax) throw tooLarge(attachment.size, bytesMax);
    return await link.download(url, async ({ body, contentType, length }) => {
      const { id, filename } = attachment;
      const name = mediaName({
        messageId: id,
        index: 0,
        kind: kindOf(attachment),
        key: id,
        names: [filename],
        contentType: attachment.content_type || contentType,
      });
      return await store.save(name, body, { bytesMax, length });
    }, signal);
  }

  /** An address holds for a day; the message gives a new one. */
  async #freshAddress({ attachment, channelId, messageId }: Wanted): Promise<string> {
    const { api, signal } = this.#options;
    const { attachments } = await api.message(channelId, messageId, signal);
    return attachments.find(({ id }) => id === attachment.id)?.url ?? attachment.url;
  }

  #reasonOf(error: unknown): string {
    if (error instanceof MediaError) {
      return `too large, more than ${Math.floor(this.#bytesMax / (1024 * 1024))} MB`;
    }
    const isRefused = error instanceof DiscordRefusedError;
    return `download failed${isRefused ? ` (${error.status})` : ""}`;
  }
}

/** Its time is over, or it never was. */
function isSpent(error: unknown): boolean {
  return error instanceof DiscordRefusedError && (error.status === 403 || error.status === 404);
}

/** By what the platform says it is. */
export function kindOf({ content_type: type, duration_secs: duration }: Attachment): MediaKind {
  if (duration !== null || type.startsWith("audio/")) return "audio";
  if (type.startsWith("image/")) return "image";
  return type.startsWith("video/") ? "video" : "file";
}
