/**
 * Completes accepted messages whose files have to be fetched: drafts until then, also over a
 * restart.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import { untilAborted } from "../../../actors/kernel/aborting.ts";
import { type Clock, sleep } from "../../../actors/kernel/clock.ts";
import { asJson, type JsonObject } from "../../../actors/kernel/json.ts";
import type { ChannelContext, ChannelInbound, InboundContents } from "../../channel.ts";
import { Limiter } from "../../media/limiter.ts";
import { messageSchema } from "../wire.ts";
import type { Contents, Received } from "./contents.ts";

const logger = getLogger(["troupe", "telegram", "completer"]);

/** Messages that are being completed at the same time; the others wait. */
const AT_ONCE_MAX = 32;
/** The journal did not take a completed message: waits before the next attempts. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

const draftSchema = z.object({ album: z.array(messageSchema), lateMs: z.number().catch(0) });

/** What completing needs. */
export interface CompleterOptions {
  readonly contents: Contents;
  readonly context: Pick<ChannelContext, "complete" | "drafts">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Completes messages of one bot. */
export class Completer {
  readonly #options: CompleterOptions;
  readonly #limiter = new Limiter(AT_ONCE_MAX);
  readonly #underWay = new Set<string>();

  constructor(options: CompleterOptions) {
    this.#options = options;
  }

  /** What a draft is completed from. */
  draftOf({ album, lateMs }: Received): JsonObject {
    return asJson({ album: album.map((message) => ({ ...message })), lateMs });
  }

  /** Completes a draft; resolves when it is durable, or the channel stops. */
  async complete({ platformId, draft }: ChannelInbound): Promise<void> {
    if (draft === undefined || this.#underWay.has(platformId)) return;
    this.#underWay.add(platformId);
    try {
      const contents = await this.#limiter.run(() => this.#contentsOf(platformId, draft));
      await this.#store(platformId, contents);
    } catch (error) {
      if (this.#options.signal.aborted) return;
      throw error;
    } finally {
      this.#underWay.delete(platformId);
    }
  }

  /** Completes what an earlier run of the channel left. */
  async completeLeftovers(): Promise<void> {
    const { context, signal } = this.#options;
    const seen = new Set<string>();
    for (;;) {
      const drafts = (await untilAborted(context.drafts(), signal))
        .filter(({ platformId }) => !seen.has(platformId) && !this.#underWay.has(platformId));
      if (drafts.length === 0) return;
      logger.info("Completing {count} messages that were accepted earlier", {
        count: drafts.length,
      });
      for (const { platformId } of drafts) seen.add(platformId);
      await Promise.all(drafts.map((draft) => this.complete(draft)));
    }
  }

  /** A message that cannot be completed is handed on as far as it can be read. */
  async #contentsOf(platformId: string, draft: JsonObject): Promise<InboundContents> {
    const { contents, signal } = this.#options;
    const received = draftSchema.safeParse(draft).data;
    if (received === undefined) {
      logger.error("Cannot read the draft of {platformId}", { platformId });
      return { content: "[message]", media: [] };
    }
    try {
      return await contents.fetch(received);
    } catch (error) {
      signal.throwIfAborted();
      logger.error("Cannot complete {platformId}: {error}", { platformId, error });
      return contents.bare(received);
    }
  }

  async #store(platformId: string, contents: InboundContents): Promise<void> {
    const { context, clock, signal } = this.#options;
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
