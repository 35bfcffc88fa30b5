/**
 * The emoji on a person's message: one when it was accepted, taken away when the answer is done,
 * and another one then. Reactions are a courtesy: their failures stop nothing.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type { JsonValue } from "../../actors/kernel/json.ts";
import type { Settled } from "../channel.ts";
import type { FeishuApi } from "./api.ts";
import { FeishuRefusedError, UNKNOWN_EMOJI_CODE } from "./errors.ts";

const logger = getLogger(["troupe", "feishu", "reactions"]);

/** What reactions need. */
export interface ReactionsOptions {
  readonly api: FeishuApi;
  /** On receipt; null for none. */
  readonly reactEmoji: string | null;
  /** When the answer is done; null for none. */
  readonly doneEmoji: string | null;
  /** Stores the id of a receipt reaction for after a restart. */
  readonly rememberInbound: (platformId: string, channelState: JsonValue) => Promise<void>;
  readonly signal: AbortSignal;
}

/** More open messages than one gateway answers at a time; those beyond are in the journal. */
const OPEN_RECEIPTS_MAX = 2_000;

const receiptSchema = z.object({ reaction_id: z.string() });

/** All reactions of one channel. */
export class Reactions {
  readonly #options: ReactionsOptions;
  /** By message: the id of the receipt reaction, once it is there; null when there is none. */
  readonly #receipts = new Map<string, Promise<string | null>>();
  readonly #unknownEmoji = new Set<string>();

  constructor(options: ReactionsOptions) {
    this.#options = options;
  }

  /** Shows that a message was accepted; returns at once. */
  acknowledge(messageId: string): void {
    const { reactEmoji, signal } = this.#options;
    if (reactEmoji === null) return;
    this.#receipts.set(messageId, this.#receive(messageId, reactEmoji, signal));
    const [oldest] = this.#receipts.keys();
    if (this.#receipts.size > OPEN_RECEIPTS_MAX && oldest !== undefined) {
      this.#receipts.delete(oldest);
    }
  }

  /** Shows how messages ended; never rejects. */
  async settle(settles: readonly Settled[], signal: AbortSignal): Promise<void> {
    const ours = settles.filter(({ platformId }) => platformId.startsWith("om_"));
    await Promise.all(ours.map((settled) => this.#settle(settled, signal)));
  }

  async #settle(
    { platformId, outcome, channelState }: Settled,
    signal: AbortSignal,
  ): Promise<void> {
    const receipt = this.#receipts.get(platformId);
    this.#receipts.delete(platformId);
    const stored = receiptSchema.safeParse(channelState).data?.reaction_id ?? null;
    const reactionId = (await receipt) ?? stored;
    if (reactionId !== null) await this.#remove(platformId, reactionId, signal);
    const { doneEmoji } = this.#options;
    if (outcome === "done" && doneEmoji !== null) await this.#add(platformId, doneEmoji, signal);
  }

  async #receive(messageId: string, emoji: string, signal: AbortSignal): Promise<string | null> {
    const reactionId = await this.#add(messageId, emoji, signal);
    if (reactionId === null) return null;
    await this.#options.rememberInbound(messageId, { reaction_id: reactionId }).catch((error) =>
      logger.warn("Cannot store the reaction on {messageId}: {error}", { messageId, error })
    );
    return reactionId;
  }

  async #add(messageId: string, emoji: string, signal: AbortSignal): Promise<string | null> {
    if (this.#unknownEmoji.has(emoji)) return null;
    try {
      return await this.#options.api.addReaction(messageId, emoji, signal);
    } catch (error) {
      const isUnknown = error instanceof FeishuRefusedError &&
        error.platformCode === UNKNOWN_EMOJI_CODE;
      if (isUnknown && !this.#unknownEmoji.has(emoji)) {
        this.#unknownEmoji.add(emoji);
        logger.warn('There is no emoji "{emoji}" here: no reactions with it from now on', {
          emoji,
        });
      } else if (!isUnknown) {
        logger.warn("No reaction on {messageId}: {reason}", { messageId, reason: reasonOf(error) });
      }
      return null;
    }
  }

  async #remove(messageId: string, reactionId: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.api.deleteReaction(messageId, reactionId, signal);
    } catch (error) {
      logger.debug("The reaction on {messageId} stays: {reason}", {
        messageId,
        reason: reasonOf(error),
      });
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
