/**
 * Files of messages, fetched into the media folder.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Clock, sleep } from "../../../actors/kernel/clock.ts";
import { MediaError, type MediaStore } from "../../media/adapters/media_store.ts";
import { Limiter } from "../../media/limiter.ts";
import { mediaName } from "../../media/media_name.ts";
import { isBadRequest, isPassing, TelegramRefusedError } from "../errors.ts";
import type { TelegramLink } from "../link.ts";
import type { MessageFile } from "./parts.ts";

const logger = getLogger(["troupe", "telegram", "downloads"]);

/** The Bot API gives out no more. */
const FILE_BYTES_MAX = 20 * 1024 * 1024;
/** Downloads at the same time; the others wait. */
const AT_ONCE_MAX = 4;
/** Waits before the second, third and fourth attempt. */
const WAITS_MS: readonly number[] = [1_000, 2_000, 4_000];
/** A message is not held up for longer, whatever the platform asks for. */
const WAIT_MS_MAX = 30_000;

/** What downloading needs. */
export interface DownloadsOptions {
  readonly link: Pick<TelegramLink, "openFile">;
  readonly store: MediaStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A file of a message, by the message's id for the journal. */
export interface Wanted extends MessageFile {
  readonly platformId: string;
  /** Which file of the message it is, from 0. */
  readonly index: number;
}

/** A file that is there, or in words why it is not. */
export type Downloaded =
  | { readonly state: "ok"; readonly path: string }
  | { readonly state: "failed"; readonly reason: string };

/** Downloads files of messages, a few at once. */
export class Downloads {
  readonly #options: DownloadsOptions;
  readonly #limiter = new Limiter(AT_ONCE_MAX);

  constructor(options: DownloadsOptions) {
    this.#options = options;
  }

  /**
   * Fetches a file, or finds it where an earlier attempt left it.
   *
   * @throws only the signal's reason
   */
  async fetch(wanted: Wanted): Promise<Downloaded> {
    const { signal } = this.#options;
    const { file, platformId } = wanted;
    if ((file.file_size ?? 0) > FILE_BYTES_MAX) return { state: "failed", reason: TOO_LARGE };
    try {
      return { state: "ok", path: await this.#limiter.run(() => this.#fetchInTime(wanted)) };
    } catch (error) {
      signal.throwIfAborted();
      const detail = error instanceof Error ? error.message : String(error);
      logger.warn("No download of a file of {platformId}: {detail}", { platformId, detail });
      return { state: "failed", reason: reasonOf(error) };
    }
  }

  async #fetchInTime(wanted: Wanted): Promise<string> {
    const { clock, signal } = this.#options;
    for (let attempt = 0;; attempt++) {
      try {
        return await this.#fetchOnce(wanted);
      } catch (error) {
        signal.throwIfAborted();
        const waitMs = WAITS_MS[attempt];
        const isHopeless = error instanceof MediaError || !mayPass(error);
        if (waitMs === undefined || isHopeless) throw error;
        const toldMs = error instanceof TelegramRefusedError ? error.retryAfterMs ?? 0 : 0;
        await sleep(clock, Math.min(Math.max(waitMs, toldMs), WAIT_MS_MAX), signal);
      }
    }
  }

  async #fetchOnce({ platformId, index, kind, file }: Wanted): Promise<string> {
    const { link, store, signal } = this.#options;
    const { body, contentType } = await link.openFile(file.file_id, signal);
    const name = mediaName({
      messageId: platformId,
      index,
      kind,
      key: file.file_unique_id,
      names: [file.file_name ?? ""],
      contentType: file.mime_type ?? contentType,
    });
    return await store.save(name, body, { bytesMax: FILE_BYTES_MAX });
  }
}

const TOO_LARGE = "larger than 20 MB, which bots cannot fetch";

/** A body that breaks off fails with whatever the engine says. */
function mayPass(error: unknown): boolean {
  return !(error instanceof TelegramRefusedError) || isPassing(error);
}

/** In words for a person and a model. */
function reasonOf(error: unknown): string {
  if (error instanceof MediaError) {
    return error.code === "media_disk" ? "it could not be stored" : TOO_LARGE;
  }
  if (isBadRequest(error, /too big/i)) return TOO_LARGE;
  return error instanceof TelegramRefusedError ? `code ${error.platformCode}` : "no connection";
}
