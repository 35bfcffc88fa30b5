/**
 * Files of messages, fetched into the media folder.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { MediaError, type MediaStore } from "../../media/adapters/media_store.ts";
import { type Downloaded, Fetches } from "../../media/fetches.ts";
import { mediaName } from "../../media/media_name.ts";
import type { DingTalkApi } from "../api.ts";
import { DingTalkRefusedError, isPassing, toldWaitOf } from "../errors.ts";
import type { DingTalkLink } from "../link.ts";
import type { MessageFile } from "./parts.ts";

const logger = getLogger(["troupe", "dingtalk", "downloads"]);

/** People can send larger ones; nobody asks an assistant about those. */
const FILE_BYTES_MAX = 100 * 1024 * 1024;

/** What downloading needs. */
export interface DownloadsOptions {
  readonly api: Pick<DingTalkApi, "fileAddress">;
  readonly link: Pick<DingTalkLink, "download">;
  readonly store: MediaStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** @default 100 MB */
  readonly bytesMax?: number;
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
    const reasonOf = (error: unknown): string => this.#reasonOf(error);
    this.#fetches = new Fetches({ logger, clock, signal, waitOf, reasonOf });
  }

  /** Fetches a file, or finds it where an earlier attempt left it. @throws only the signal's reason */
  fetch(wanted: Wanted): Promise<Downloaded> {
    return this.#fetches.fetch(wanted.platformId, () => this.#fetchOnce(wanted));
  }

  async #fetchOnce(wanted: Wanted): Promise<string> {
    const { platformId, index, kind, name: given, downloadCode } = wanted;
    const { api, link, store, signal } = this.#options;
    const url = await api.fileAddress(downloadCode, signal);
    return await link.download(url, async ({ body, contentType, length }) => {
      const name = mediaName({
        messageId: platformId,
        ...{ index, kind, contentType },
        key: kind,
        names: [given],
      });
      return await store.save(name, body, { bytesMax: this.#bytesMax, length });
    }, signal);
  }

  get #bytesMax(): number {
    return this.#options.bytesMax ?? FILE_BYTES_MAX;
  }

  /** In words for a person and a model. */
  #reasonOf(error: unknown): string {
    if (error instanceof MediaError) {
      return `larger than ${Math.floor(this.#bytesMax / (1024 * 1024))} MB`;
    }
    if (!(error instanceof DingTalkRefusedError)) return "no connection";
    return error.reason === "elsewhere" ? "DingTalk does not hold it" : `code ${error.status}`;
  }
}

/** A body that breaks off fails with whatever the engine says; that may pass. */
function waitOf(error: unknown): number | null {
  const isRefused = error instanceof DingTalkRefusedError && !isPassing(error);
  return isRefused || error instanceof MediaError ? null : toldWaitOf(error);
}
