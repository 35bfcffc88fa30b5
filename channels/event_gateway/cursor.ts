/**
 * Stores how far the platform was read, one write after the other; many changes share one.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { JsonValue } from "../../actors/kernel/json.ts";

const logger = getLogger(["troupe", "channels", "cursor"]);

/** What storing needs. */
export interface CursorOptions {
  /** What to store, as it is when the write begins. */
  readonly read: () => JsonValue;
  readonly keep: (cursor: JsonValue) => Promise<void>;
}

/** The cursor of one channel. */
export class Cursor {
  readonly #options: CursorOptions;
  #writing: Promise<void> | null = null;
  #isStale = false;

  constructor(options: CursorOptions) {
    this.#options = options;
  }

  /** Stores it soon. What is lost with it comes again, and is known then. */
  touch(): void {
    this.#isStale = true;
    this.#writing ??= this.#write();
  }

  /** Resolves when all that was touched is stored, or could not be. */
  async settled(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      try {
        await this.#options.keep(this.#options.read());
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        logger.warn("Cannot store how far the platform was read: {reason}", { reason });
      }
    }
    this.#writing = null;
  }
}
