/**
 * Completes messages that were accepted as drafts: a few at a time, until that is durable, and also
 * those that an earlier run of the channel left.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { untilAborted } from "../actors/kernel/aborting.ts";
import { type Clock, sleep } from "../actors/kernel/clock.ts";
import type { JsonObject } from "../actors/kernel/json.ts";
import type { ChannelContext, ChannelInbound, InboundContents } from "./channel.ts";
import { Limiter } from "./media/limiter.ts";

const logger = getLogger(["troupe", "channels", "drafts"]);

/** Messages that are being completed at the same time; the others wait. */
const AT_ONCE_MAX = 32;
/** The journal did not take a completed message: waits before the next attempts. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** What completing needs. */
export interface DraftsOptions {
  readonly context: Pick<ChannelContext, "complete" | "drafts" | "signal"> & {
    readonly clock: Clock;
  };
  /** What a draft lacked; rejects only when the channel stops. */
  readonly contentsOf: (platformId: string, draft: JsonObject) => Promise<InboundContents>;
}

/** The drafts of one channel. */
export class Drafts {
  readonly #options: DraftsOptions;
  readonly #limiter = new Limiter(AT_ONCE_MAX);
  readonly #underWay = new Set<string>();

  constructor(options: DraftsOptions) {
    this.#options = options;
  }

  /** Completes a draft; resolves when it is durable, or the channel stops. */
  async complete({ platformId, draft }: ChannelInbound): Promise<void> {
    if (draft === undefined || this.#underWay.has(platformId)) return;
    this.#underWay.add(platformId);
    try {
      const contents = await this.#limiter.run(() => this.#options.contentsOf(platformId, draft));
      await this.#store(platformId, contents);
    } catch (error) {
      if (this.#options.context.signal.aborted) return;
      throw error;
    } finally {
      this.#underWay.delete(platformId);
    }
  }

  /** Completes what an earlier run of the channel left. */
  async completeLeftovers(): Promise<void> {
    const seen = new Set<string>();
    for (;;) {
      const { context } = this.#options;
      const drafts = (await untilAborted(context.drafts(), context.signal))
        .filter(({ platformId }) => !seen.has(platformId) && !this.#underWay.has(platformId));
      if (drafts.length === 0) return;
      logger.info("Completing {count} messages that were accepted earlier", {
        count: drafts.length,
      });
      for (const { platformId } of drafts) seen.add(platformId);
      await Promise.all(drafts.map((draft) => this.complete(draft)));
    }
  }

  async #store(platformId: string, contents: InboundContents): Promise<void> {
    const { context } = this.#options;
    const { clock, signal } = context;
    for (let waitMs = FIRST_WAIT_MS;; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        return await untilAborted(context.complete(platformId, contents), signal);
      } catch (error) {
        signal.throwIfAborted();
        const reason = error instanceof Error ? error.message : String(error);
        logger.error("Cannot store {platformId}, trying again in {waitMs} ms: {reason}", {
          platformId,
          waitMs,
          reason,
        });
        await sleep(clock, waitMs, signal);
      }
    }
  }
}
