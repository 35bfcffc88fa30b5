/**
 * Files of messages, fetched into the media folder.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { MediaError, type MediaStore } from "../../media/adapters/media_store.ts";
import { type Downloaded, Fetches } from "../../media/fetches.ts";
import { mediaName } from "../../media/media_name.ts";
import { FeishuRefusedError, hasCode, NO_PERMISSION_CODE } from "../errors.ts";
import type { Lookups } from "../lookups.ts";
import type { Resource } from "./parts.ts";
import { waitOf } from "./retry.ts";

const logger = getLogger(["troupe", "feishu", "downloads"]);

/** The platform gives out no more than that either. */
const MEDIA_BYTES_MAX = 100 * 1024 * 1024;

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

/** Downloads files of messages, a few at once. */
export class Downloads {
  readonly #options: DownloadsOptions;
  readonly #bytesMax: number;
  readonly #fetches: Fetches;
  /** By message and place: a file may be wanted by its message and by one that quotes it. */
  readonly #underWay = new Map<string, Promise<Downloaded>>();

  constructor(options: DownloadsOptions) {
    this.#options = options;
    const { clock, signal, bytesMax = MEDIA_BYTES_MAX } = options;
    const reason = (error: unknown): string => reasonOf(error, bytesMax);
    this.#bytesMax = bytesMax;
    this.#fetches = new Fetches({ logger, clock, signal, waitOf, reasonOf: reason });
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
    const fetching = this.#fetches.fetch(wanted.messageId, () => this.#fetchOnce(wanted))
      .finally(() => this.#underWay.delete(place));
    this.#underWay.set(place, fetching);
    return fetching;
  }

  async #fetchOnce({ kind, key, name, messageId, index }: Wanted): Promise<string> {
    const { lookups, store, signal } = this.#options;
    const type = kind === "image" ? "image" : "file";
    return await lookups.download({ messageId, key, type }, async (file) => {
      const { contentType, length, body } = file;
      const names = [name, file.name];
      const safeName = mediaName({ messageId, index, kind, key, names, contentType });
      return await store.save(safeName, body, { bytesMax: this.#bytesMax, length });
    }, signal);
  }
}

/** In words for a person and a model. */
function reasonOf(error: unknown, bytesMax: number): string {
  if (error instanceof MediaError) {
    return `larger than ${Math.floor(bytesMax / (1024 * 1024))} MB`;
  }
  if (hasCode(error, new Set([NO_PERMISSION_CODE]))) {
    return "the app lacks the permission im:resource";
  }
  if (hasCode(error, new Set([NOT_DOWNLOADABLE_CODE]))) return "the platform does not give it out";
  return error instanceof FeishuRefusedError ? `code ${error.platformCode}` : "no connection";
}
