/**
 * Writes to a journal that cannot write just now: tried until it can.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { JournalError } from "../journal/journal.ts";
import { type Clock, sleep } from "../kernel/clock.ts";

const logger = getLogger(["troupe", "session", "until_written"]);

/** Waits between tries of what the journal could not take. */
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 30_000;

/** How it is tried. */
export interface UntilWrittenOptions {
  readonly clock: Clock;
  /** Ends the tries. */
  readonly signal: AbortSignal;
  readonly sessionKey: string;
}

/**
 * What `write` gives, as soon as the journal can take it. Nothing is kept of a write that fails: the
 * same again is the first one.
 *
 * @throws {JournalError} when it never will, or the signal aborts
 */
export async function untilWritten<T>(
  write: () => Promise<T>,
  { clock, signal, sessionKey: key }: UntilWrittenOptions,
): Promise<T> {
  for (let delayMs = RETRY_FIRST_MS;; delayMs = Math.min(delayMs * 2, RETRY_MAX_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!isPassing(error) || signal.aborted) throw error;
      if (delayMs === RETRY_FIRST_MS) {
        logger.error("Cannot commit a step of {key}, tries until it works: {reason}", {
          key,
          reason: error.message,
        });
      }
      await sleep(clock, delayMs, signal).catch(() => Promise.reject(error));
    }
  }
}

/** A journal that cannot write just now; one that is closed or damaged will not be able to. */
function isPassing(error: unknown): error is JournalError {
  if (!(error instanceof JournalError)) return false;
  const { code } = error;
  return code === "journal_full" || code === "journal_read_only" || code === "journal_locked" ||
    code === "journal_unsynced" || code === "journal_failed";
}
