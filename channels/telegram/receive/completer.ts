/**
 * What accepted messages lack whose files have to be fetched: they are drafts until then.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import { asJson, type JsonObject } from "../../../actors/kernel/json.ts";
import type { InboundContents } from "../../channel.ts";
import { messageSchema } from "../wire.ts";
import type { Contents, Received } from "./contents.ts";

const logger = getLogger(["troupe", "telegram", "completer"]);

const draftSchema = z.object({ album: z.array(messageSchema), lateMs: z.number().catch(0) });

/** What completing needs. */
export interface CompleterOptions {
  readonly contents: Contents;
  readonly signal: AbortSignal;
}

/** Completes messages of one bot. */
export class Completer {
  readonly #options: CompleterOptions;

  constructor(options: CompleterOptions) {
    this.#options = options;
  }

  /** What a draft is completed from. */
  draftOf({ album, lateMs }: Received): JsonObject {
    return asJson({ album: album.map((message) => ({ ...message })), lateMs });
  }

  /**
   * What a draft lacks. A message that cannot be completed is handed on as far as it can be read.
   *
   * @throws only when the channel stops
   */
  async contentsOf(platformId: string, draft: JsonObject): Promise<InboundContents> {
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
}
