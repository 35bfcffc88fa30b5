/**
 * The emoji on a person's message: one when it was accepted, another while it waits for its turn,
 * taken away when the answer is done, and a last one then. Reactions are a courtesy: their failures stop nothing.
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
  /** Instead of it while the message waits for its turn; null leaves it as it is. */
  readonly queuedEmoji: string | null;
  /** When the answer is done; null for none. */
  readonly doneEmoji: string | null;
  /** Stores the id of the reaction that is to be taken away, for after a restart. */
  readonly rememberInbound: (platformId: string, channelState: JsonValue) => Promise<void>;
  readonly signal: AbortSignal;
}

/** More open messages than one gateway answers at a time; those beyond are in the journal. */
const OPEN_RECEIPTS_MAX = 2_000;

const receiptSchema = z.object({ reaction_id: z.string() });

/** All reactions of one channel. */
export class Reactions {
  readonly #options: ReactionsOptions;
  /** By message: the id of its reaction, once all changes are done; null when there is none. */
  readonly #receipts = new Map<string, Promise<string | null>>();
  readonly #unknownEmoji = new Set<string>();

  constructor(options: ReactionsOptions) {
    this.#options = options;
  }

  /** Shows that a message was accepted; returns at once. */
  acknowledge(messageId: string): void {
    const { reactEmoji, queuedEmoji } = this.#options;
    if (reactEmoji === null && queuedEmoji === null) return;
    this.#receipts.set(messageId, Promise.resolve(null));
    this.#swap(messageId, reactEmoji);
    const [oldest] = this.#receipts.keys();
    if (this.#receipts.size > OPEN_RECEIPTS_MAX && oldest !== undefined) {
      this.#receipts.delete(oldest);
    }
  }

  /** Shows that a message waits for its turn; returns at once. */
  waits(messageId: string): void {
    const { queuedEmoji } = this.#options;
    if (queuedEmoji !== null) this.#swap(messageId, queuedEmoji);
  }

  /** Shows that a message that waited is worked on; returns at once. */
  begins(messageId: string): void {
    const { queuedEmoji, reactEmoji } = this.#options;
    if (queuedEmoji !== null) this.#swap(messageId, reactEmoji);
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

  /** One change after the other; a message that is settled, or of an earlier life, keeps its own. */
  #swap(messageId: string, emoji: string | null): void {
    const before = this.#receipts.get(messageId);
    if (before === undefined) return;
    this.#receipts.set(
      messageId,
      before.then((reactionId) => this.#change(messageId, reactionId, emoji)),
    );
  }

  /** The new reaction comes before the old one goes, so that the message is never without. */
  async #change(
    messageId: string,
    before: string | null,
    emoji: string | null,
  ): Promise<string | null> {
    const { signal, rememberInbound } = this.#options;
    const after = emoji === null ? null : await this.#add(messageId, emoji, signal);
    // Where the new one is refused, the old one still says that the message was received.
    if (after === null && emoji !== null) return before;
    if (after !== null) {
      await rememberInbound(messageId, { reaction_id: after }).catch((error) =>
        logger.warn("Cannot store the reaction on {messageId}: {error}", { messageId, error })
      );
    }
    if (before !== null) await this.#remove(messageId, before, signal);
    return after;
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
