/**
 * Handing in what a platform brings: once, and so that a failure means "bring it again".
 * @module
 */

import type { Logger } from "@logtape/logtape";
import type { ChannelContext, ChannelInbound, HandInResult } from "./channel.ts";

/** Saves the journal a question for repeated events; the journal alone decides. */
const RECENT_MAX = 2_000;

/** Hands a message in; never rejects: a failure is logged and counts as `refused`. */
export async function tryHandIn(
  handIn: ChannelContext["handIn"],
  inbound: ChannelInbound,
  logger: Logger,
): Promise<HandInResult> {
  try {
    return await handIn(inbound);
  } catch (error) {
    const { platformId } = inbound;
    logger.warn("Cannot hand in {platformId}: {error}", { platformId, error });
    return "refused";
  }
}

/** Takes each message of a platform once, as far as it is remembered. */
export class TakenOnce {
  readonly #recent = new Map<string, Promise<boolean>>();

  /**
   * Takes a message, or gives the outcome of taking it before.
   *
   * @param take tells whether the platform may forget the message; if not, it may come again
   */
  take(platformId: string, take: () => Promise<boolean>): Promise<boolean> {
    const known = this.#recent.get(platformId);
    if (known !== undefined) return known;
    const taking = this.#unlessRefused(platformId, take);
    this.#recent.set(platformId, taking);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > RECENT_MAX && oldest !== undefined) this.#recent.delete(oldest);
    return taking;
  }

  async #unlessRefused(platformId: string, take: () => Promise<boolean>): Promise<boolean> {
    let isTaken = false;
    try {
      return isTaken = await take();
    } finally {
      if (!isTaken) this.#recent.delete(platformId);
    }
  }
}
