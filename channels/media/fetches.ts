/**
 * Files of messages, fetched a few at once, and again for a while when a platform cannot give them.
 * @module
 */

import type { Logger } from "@logtape/logtape";
import { type RetryOptions, withRetries } from "../retries.ts";
import { MediaError } from "./adapters/media_store.ts";
import { Limiter } from "./limiter.ts";

/** Downloads at the same time; the others wait. */
const AT_ONCE_MAX = 4;

/** A file that is there, or in words why it is not. */
export type Downloaded =
  | { readonly state: "ok"; readonly path: string }
  | { readonly state: "failed"; readonly reason: string };

/** What a platform's failures mean. */
export interface FetchesOptions extends RetryOptions {
  readonly logger: Logger;
  /** The wait that the platform asks for, in milliseconds (0: none); null: it will not pass. */
  readonly waitOf: (error: unknown) => number | null;
  /** Why a file is not there, in words for a person and a model; not asked about the disk. */
  readonly reasonOf: (error: unknown) => string;
}

/** Fetches files for one channel. */
export class Fetches {
  readonly #options: FetchesOptions;
  readonly #limiter = new Limiter(AT_ONCE_MAX);

  constructor(options: FetchesOptions) {
    this.#options = options;
  }

  /**
   * Fetches a file of a message.
   *
   * @param fetchOnce gives the path where the file is then; may be called again
   * @throws only the signal's reason
   */
  async fetch(messageId: string, fetchOnce: () => Promise<string>): Promise<Downloaded> {
    const { logger, signal } = this.#options;
    try {
      const path = await this.#limiter.run(() => withRetries(fetchOnce, this.#options));
      return { state: "ok", path };
    } catch (error) {
      signal.throwIfAborted();
      const detail = error instanceof Error ? error.message : String(error);
      logger.warn("No download of a file of {messageId}: {detail}", { messageId, detail });
      return { state: "failed", reason: this.#reasonOf(error) };
    }
  }

  #reasonOf(error: unknown): string {
    const isDisk = error instanceof MediaError && error.code === "media_disk";
    return isDisk ? "it could not be stored" : this.#options.reasonOf(error);
  }
}
