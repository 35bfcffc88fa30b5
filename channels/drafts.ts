/**
 * Completes messages that were accepted as drafts: a few at a time, until that is durable, and also
 * those that an earlier run of the channel left.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { untilAborted } from "../actors/kernel/aborting.ts";
import { type Clock, sleep } from "../actors/kernel/clock.ts";
import type { JsonObject } from "../actors/kernel/json.ts";
import type { Background } from "./background.ts";
import type { ChannelContext, ChannelInbound, InboundContents } from "./channel.ts";
import type { MediaStore } from "./media/adapters/media_store.ts";
import { Limiter } from "./media/limiter.ts";

const logger = getLogger(["troupe", "channels", "drafts"]);

/** Messages that are being completed at the same time; the others wait. */
const AT_ONCE_MAX = 32;
/** The journal did not take a completed message: waits before the next attempts. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** Stands for a message whose draft cannot be read. */
const UNREADABLE: InboundContents = { content: "[message]", media: [] };

/** A message that was accepted as a draft. */
export interface Incomplete {
  /** Fetches what it lacks; may fail with whatever the platform fails with. */
  fetch(): Promise<InboundContents>;
  /** As far as it can be read without that. */
  bare(): InboundContents;
}

/** What completing needs. */
export interface DraftsOptions {
  readonly context: Pick<ChannelContext, "complete" | "drafts" | "signal"> & {
    readonly clock: Clock;
  };
  /** The folder that files of messages go to. */
  readonly store: Pick<MediaStore, "clean">;
  readonly background: Background;
  /** Reads what a draft kept of its message; null when it is no such thing. */
  readonly read: (platformId: string, draft: JsonObject) => Incomplete | null;
}

/** The drafts of one channel. */
export class Drafts {
  readonly #options: DraftsOptions;
  readonly #limiter = new Limiter(AT_ONCE_MAX);
  readonly #underWay = new Set<string>();

  constructor(options: DraftsOptions) {
    this.#options = options;
  }

  /** Completes a message that was accepted, if it is a draft; returns at once. */
  begin(inbound: ChannelInbound): void {
    this.#options.background.run("complete a message", () => this.#complete(inbound));
  }

  /** Goes on with what an earlier run accepted and did not complete; returns at once. */
  resume(): void {
    const { background, store } = this.#options;
    background.run("complete earlier messages", async () => {
      await store.clean();
      await this.#completeLeftovers();
    });
  }

  /** Resolves when it is durable, or the channel stops. */
  async #complete({ platformId, draft }: ChannelInbound): Promise<void> {
    if (draft === undefined || this.#underWay.has(platformId)) return;
    this.#underWay.add(platformId);
    try {
      const contents = await this.#limiter.run(() => this.#contentsOf(platformId, draft));
      await this.#store(platformId, contents);
    } catch (error) {
      if (this.#options.context.signal.aborted) return;
      throw error;
    } finally {
      this.#underWay.delete(platformId);
    }
  }

  async #completeLeftovers(): Promise<void> {
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
      await Promise.all(drafts.map((draft) => this.#complete(draft)));
    }
  }

  /** A message that cannot be completed is handed on as far as it can be read. */
  async #contentsOf(platformId: string, draft: JsonObject): Promise<InboundContents> {
    const { context: { signal }, read } = this.#options;
    const incomplete = read(platformId, draft);
    if (incomplete === null) {
      logger.error("Cannot read the draft of {platformId}", { platformId });
      return UNREADABLE;
    }
    try {
      return await incomplete.fetch();
    } catch (error) {
      signal.throwIfAborted();
      logger.error("Cannot complete {platformId}: {error}", { platformId, error });
      return incomplete.bare();
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
