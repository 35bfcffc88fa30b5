/**
 * Files of messages, fetched into the media folder.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { MediaError, type MediaStore } from "../../media/adapters/media_store.ts";
import { FeishuRefusedError, hasCode, NO_PERMISSION_CODE } from "../errors.ts";
import type { Lookups } from "../lookups.ts";
import { Limiter } from "../../media/limiter.ts";
import { mediaName } from "../../media/media_name.ts";
import type { Resource } from "./parts.ts";
import { withRetries } from "./retry.ts";

const logger = getLogger(["troupe", "feishu", "downloads"]);

/** The platform gives out no more than that either. */
const MEDIA_BYTES_MAX = 100 * 1024 * 1024;
/** Downloads at the same time; the others wait. */
const AT_ONCE_MAX = 4;

/** The platform does not hand this kind of message's files out. */
const NOT_DOWNLOADABLE_CODE = 234043;

/** What downloading needs. */
export interface DownloadsOptions {
  readonly lookups: Lookups;
  readonly store: MediaStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** @default 100 MB */
  readonly bytesMax?: number;
}

/** A file of a message. */
export interface Wanted extends Pick<Resource, "kind" | "key" | "name"> {
  readonly messageId: string;
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
  /** By message and place: a file may be wanted by its message and by one that quotes it. */
  readonly #underWay = new Map<string, Promise<Downloaded>>();

  constructor(options: DownloadsOptions) {
    this.#options = options;
  }

  /**
   * Fetches a file, or finds it where an earlier attempt left it.
   *
   * @throws only the signal's reason
   */
  fetch(wanted: Wanted): Promise<Downloaded> {
    const place = `${wanted.messageId} ${wanted.index}`;
    const known = this.#underWay.get(place);
    if (known !== undefined) return known;
    const fetching = this.#fetch(wanted).finally(() => this.#underWay.delete(place));
    this.#underWay.set(place, fetching);
    return fetching;
  }

  async #fetch(wanted: Wanted): Promise<Downloaded> {
    const { clock, signal } = this.#options;
    try {
      const path = await this.#limiter.run(() =>
        withRetries(() => this.#fetchOnce(wanted), { clock, signal })
      );
      return { state: "ok", path };
    } catch (error) {
      signal.throwIfAborted();
      const reason = reasonOf(error, this.#bytesMax);
      const { messageId } = wanted;
      const detail = error instanceof Error ? error.message : String(error);
      logger.warn("No download of a file of {messageId}: {detail}", { messageId, detail });
      return { state: "failed", reason };
    }
  }

  get #bytesMax(): number {
    return this.#options.bytesMax ?? MEDIA_BYTES_MAX;
  }

  async #fetchOnce({ kind, key, name, messageId, index }: Wanted): Promise<string> {
    const { lookups, store, signal } = this.#options;
    const type = kind === "image" ? "image" : "file";
    return await lookups.download({ messageId, key, type }, async (file) => {
      const { contentType, length, body } = file;
      const bytesMax = this.#bytesMax;
      if (length !== null && length > bytesMax) {
        await body.cancel();
        throw new MediaError("media_too_large", `Cannot take ${length} bytes: ${bytesMax} is most`);
      }
      const names = [name, file.name];
      const safeName = mediaName({ messageId, index, kind, key, names, contentType });
      return await store.save(safeName, body, { bytesMax });
    }, signal);
  }
}

/** In words for a person and a model. */
function reasonOf(error: unknown, bytesMax: number): string {
  if (error instanceof MediaError) {
    if (error.code === "media_disk") return "it could not be stored";
    return `larger than ${Math.floor(bytesMax / (1024 * 1024))} MB`;
  }
  if (hasCode(error, new Set([NO_PERMISSION_CODE]))) {
    return "the app lacks the permission im:resource";
  }
  if (hasCode(error, new Set([NOT_DOWNLOADABLE_CODE]))) return "the platform does not give it out";
  return error instanceof FeishuRefusedError ? `code ${error.platformCode}` : "no connection";
}
