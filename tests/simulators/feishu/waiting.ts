/**
 * Waiting for something to become true on the platform, with a deadline.
 * @module
 */

/** How long to wait, and what to call it. */
export interface WaitOptions {
  /** Real time. @default 20_000 */
  readonly timeoutMs?: number;
  /** Named in the failure. @default "the condition" */
  readonly what?: string;
}

/** Re-checks at each change, and now and then for conditions that time alone makes true. */
const RECHECK_MS = 25;

/** Everybody who waits. */
export class Waiting {
  readonly #rechecks = new Set<() => void>();
  #isQueued = false;

  /** Says that something changed; checks run once the change is complete. */
  changed(): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    queueMicrotask(() => {
      this.#isQueued = false;
      for (const recheck of [...this.#rechecks]) recheck();
    });
  }

  /**
   * Waits until `probe` gives something other than undefined, null or false, and gives that.
   *
   * @throws {Error} at the deadline, or what `probe` throws
   */
  async until<T>(
    probe: () => T | undefined | null | false,
    { timeoutMs = 20_000, what = "the condition" }: WaitOptions = {},
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const recheck = () => {
      try {
        const found = probe();
        if (found !== undefined && found !== null && found !== false) resolve(found);
      } catch (error) {
        reject(error);
      }
    };
    this.#rechecks.add(recheck);
    const recheckTimer = setInterval(recheck, RECHECK_MS);
    const deadline = setTimeout(() => {
      reject(new Error(`Cannot go on: ${what} did not happen within ${timeoutMs} ms`));
    }, timeoutMs);
    recheck();
    try {
      return await promise;
    } finally {
      clearTimeout(deadline);
      clearInterval(recheckTimer);
      this.#rechecks.delete(recheck);
    }
  }
}
