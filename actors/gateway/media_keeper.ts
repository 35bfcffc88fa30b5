/**
 * Keeps the media folder within bounds: files that people sent and that nobody needs any more go,
 * the oldest first.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { CommonChannelsConfig } from "../config/schema/channels.ts";
import type { Clock, Timer } from "../kernel/clock.ts";
import { asError } from "../kernel/errors.ts";

const logger = getLogger(["troupe", "gateway", "media_keeper"]);

const DAY_MS = 24 * 3_600_000;
/** The start is not held up; what is read from the folder then is in nobody's way. */
const FIRST_LOOK_MS = 60_000;
const LOOK_EVERY_MS = 6 * 3_600_000;
/** A conversation that is about a file goes on for a while: for want of room it is not taken away. */
const FRESH_MS = DAY_MS;

/** A file in the folder. */
export interface KeptFile {
  readonly path: string;
  readonly modifiedAtMs: number;
  readonly bytes: number;
}

/** The folder, as far as it is asked. */
export interface MediaFolder {
  /** All files in it and below; links are not followed. */
  list(): Promise<readonly KeptFile[]>;
  /** One that has gone meanwhile is no error. */
  remove(path: string): Promise<void>;
}

/** How much is kept; 0 is no bound. */
export type MediaBounds = Pick<CommonChannelsConfig, "mediaDays" | "mediaMegabytes">;

/** What has to go: what is too old, and the oldest of what is too much. */
export function overdue(
  files: readonly KeptFile[],
  { mediaDays, mediaMegabytes }: MediaBounds,
  nowMs: number,
): readonly KeptFile[] {
  const ageMsMax = mediaDays === 0 ? Infinity : mediaDays * DAY_MS;
  const bytesMax = mediaMegabytes === 0 ? Infinity : mediaMegabytes * 1_000_000;
  let bytes = 0;
  return files.toSorted((a, b) => b.modifiedAtMs - a.modifiedAtMs).filter((file) => {
    const ageMs = nowMs - file.modifiedAtMs;
    bytes += file.bytes;
    return ageMs > ageMsMax || (bytes > bytesMax && ageMs > FRESH_MS);
  });
}

/** Looks a minute after the start, and every six hours, until it is disposed of. */
export class MediaKeeper implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #folder: MediaFolder;
  readonly #bounds: MediaBounds;
  #timer: Timer;
  #looking: Promise<void> = Promise.resolve();

  constructor(clock: Clock, folder: MediaFolder, bounds: MediaBounds) {
    this.#clock = clock;
    this.#folder = folder;
    this.#bounds = bounds;
    this.#timer = clock.setTimer(FIRST_LOOK_MS, () => this.#lookAgain());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer.cancel();
    await this.#looking;
  }

  #lookAgain(): void {
    this.#timer = this.#clock.setTimer(LOOK_EVERY_MS, () => this.#lookAgain());
    this.#looking = this.#looking.then(() => this.#look());
  }

  async #look(): Promise<void> {
    try {
      const gone = overdue(await this.#folder.list(), this.#bounds, this.#clock.now());
      for (const { path } of gone) await this.#folder.remove(path);
      if (gone.length > 0) {
        logger.info("Removed {count} old files that were sent to us", { count: gone.length });
      }
    } catch (error) {
      logger.warn("Cannot clear the media folder: {error}", { error: asError(error).message });
    }
  }
}
