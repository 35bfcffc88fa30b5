/**
 * People who may not write to the bot, as far as they show in the log.
 * @module
 */

import type { Logger } from "@logtape/logtape";

/** Strangers named in the log; further ones are not. */
const STRANGERS_MAX = 100;

/** Whose list of people it is. */
export interface StrangersOptions {
  readonly logger: Logger;
  /** The key of the list in the config. */
  readonly key: string;
  readonly allowFrom: readonly string[];
  /** What such a list holds, for a person: `user ids`. */
  readonly ids: string;
}

/** Names each stranger once; who has let nobody in at all is told that alone. */
export class Strangers {
  readonly #options: StrangersOptions;
  readonly #named = new Set<string>();

  constructor(options: StrangersOptions) {
    this.#options = options;
    const { logger, key, allowFrom, ids } = options;
    if (allowFrom.length > 0) return;
    logger.warn(`${key} is empty: nobody may write to the bot; add ${ids}, or "*" for everybody`);
  }

  /** A message of somebody was refused who is not in the list. */
  note(senderId: string): void {
    const { logger, key, allowFrom } = this.#options;
    if (allowFrom.length === 0 || this.#named.size >= STRANGERS_MAX) return;
    if (this.#named.has(senderId)) return;
    this.#named.add(senderId);
    logger.info(`Refused {senderId}, who is not in ${key}`, { senderId });
  }
}
