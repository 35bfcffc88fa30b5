/**
 * Bringing a file to the disk: at once while the disk is fast, by a thread while it is not.
 * @module
 */

/** The way to a thread and back takes some 0.3 ms: a sync shorter than this is over sooner. */
const FAST_MS = 1;
/** After one that took longer, so many are left to a thread; then the disk is tried again. */
const LEFT_TO_THREAD = 128;

/** What is synced. */
export type Syncable = Pick<Deno.FsFile, "syncData" | "syncDataSync">;

/**
 * Syncs one file. A slow disk holds up the event loop once in {@link LEFT_TO_THREAD} times, a fast
 * one never for longer than {@link FAST_MS}.
 */
export class LogSync {
  readonly #file: Syncable;
  readonly #nowMs: () => number;
  #left = 0;

  /** @param nowMs a monotonic clock */
  constructor(file: Syncable, nowMs: () => number = () => performance.now()) {
    this.#file = file;
    this.#nowMs = nowMs;
  }

  /**
   * Makes what was written outlive a power cut: when it returns, or else when its promise resolves.
   *
   * @throws what the system says, at once or by the promise
   */
  sync(): Promise<void> | undefined {
    if (this.#left > 0) {
      this.#left--;
      return this.#file.syncData();
    }
    const startMs = this.#nowMs();
    this.#file.syncDataSync();
    if (this.#nowMs() - startMs > FAST_MS) this.#left = LEFT_TO_THREAD;
    return undefined;
  }
}
