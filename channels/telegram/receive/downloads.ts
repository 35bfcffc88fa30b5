/**
 * Files of messages, fetched into the media folder.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { MediaError, type MediaStore } from "../../media/adapters/media_store.ts";
import { type Downloaded, Fetches } from "../../media/fetches.ts";
import { mediaName } from "../../media/media_name.ts";
import { isBadRequest, isPassing, TelegramRefusedError, toldWaitOf } from "../errors.ts";
import type { TelegramLink } from "../link.ts";
import type { MessageFile } from "./parts.ts";

const logger = getLogger(["troupe", "telegram", "downloads"]);

/** The Bot API gives out no more. */
const FILE_BYTES_MAX = 20 * 1024 * 1024;
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

/** Downloads files of messages, a few at once. */
export class Downloads {
  readonly #options: DownloadsOptions;
  readonly #fetches: Fetches;

  constructor(options: DownloadsOptions) {
    this.#options = options;
    const { clock, signal } = options;
    this.#fetches = new Fetches({ logger, clock, signal, waitOf, reasonOf });
  }

  /**
   * Fetches a file, or finds it where an earlier attempt left it.
   *
   * @throws only the signal's reason
   */
  async fetch(wanted: Wanted): Promise<Downloaded> {
    const { file, platformId } = wanted;
    if ((file.file_size ?? 0) > FILE_BYTES_MAX) return { state: "failed", reason: TOO_LARGE };
    return await this.#fetches.fetch(platformId, () => this.#fetchOnce(wanted));
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

/** A body that breaks off fails with whatever the engine says; that may pass. */
function waitOf(error: unknown): number | null {
  const isRefused = error instanceof TelegramRefusedError && !isPassing(error);
  return isRefused || error instanceof MediaError ? null : toldWaitOf(error);
}

/** In words for a person and a model. */
function reasonOf(error: unknown): string {
  if (error instanceof MediaError || isBadRequest(error, /too big/i)) return TOO_LARGE;
  return error instanceof TelegramRefusedError ? `code ${error.platformCode}` : "no connection";
}
