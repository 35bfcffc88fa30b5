/**
 * One CardKit card: its text and settings, changed under strictly rising numbers.
 * @module
 */

import type { CardOperation, FeishuApi } from "../api.ts";
import { FeishuRefusedError, hasCode, SEQUENCE_CODE, STREAMING_OFF_CODES } from "../errors.ts";
import type { Pacer } from "./pacer.ts";
import { ANSWER_ELEMENT_ID, summaryOf } from "./render.ts";
import { stableUuid } from "./uuid.ts";

/** How many numbers are reserved at once: one durable write for minutes of streaming. */
export const SEQUENCE_BLOCK = 1_000;

/** What a card is opened with. */
export interface StreamingCardOptions {
  readonly api: FeishuApi;
  readonly cardId: string;
  readonly pacer: Pacer;
  /** The highest number that may have been used. */
  readonly sequenceBound: number;
  /** No number was used yet, so those up to the bound are free. */
  readonly isNew: boolean;
  /** What the card shows; null when that is not known. */
  readonly text: string | null;
  /** Stores a higher bound; resolves when durable. */
  readonly reserve: (sequenceBound: number) => Promise<void>;
}

/** A card that people see growing. Its calls must not overlap. */
export class StreamingCard {
  readonly #options: StreamingCardOptions;
  #sequence: number;
  #bound: number;
  #text: string | null;
  #isStreaming = true;

  constructor(options: StreamingCardOptions) {
    this.#options = options;
    this.#bound = options.sequenceBound;
    this.#sequence = options.isNew ? 0 : options.sequenceBound;
    this.#text = options.text;
  }

  /** Shows `text`, no sooner than the pace allows; does nothing when it is shown already. */
  async show(text: string, signal: AbortSignal): Promise<void> {
    if (text === this.#text) return;
    const { api, pacer } = this.#options;
    await pacer.turn(signal);
    await this.#operate(
      (operation) =>
        api.updateCardText({ ...operation, elementId: ANSWER_ELEMENT_ID, text }, signal),
      signal,
    );
    this.#text = text;
  }

  /** Ends the streaming: the card becomes an ordinary message with a summary. */
  async close(signal: AbortSignal): Promise<void> {
    if (!this.#isStreaming) return;
    const summary = { content: summaryOf(this.#text ?? "") };
    await this.#change({ streaming_mode: false, summary }, signal);
    this.#isStreaming = false;
  }

  /** Does `action`; where streaming is off, or the number was used, mends that and repeats once. */
  async #operate(
    action: (operation: CardOperation) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await action(await this.#next());
    } catch (error) {
      if (hasCode(error, STREAMING_OFF_CODES)) {
        await this.#change({ streaming_mode: true }, signal);
        this.#isStreaming = true;
      } else if (isSequenceUsed(error)) {
        this.#sequence = this.#bound;
      } else throw error;
      await action(await this.#next());
    }
  }

  async #change(
    settings: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { api } = this.#options;
    const action = (operation: CardOperation): Promise<void> =>
      api.updateCardSettings({ ...operation, settings }, signal);
    try {
      await action(await this.#next());
    } catch (error) {
      if (!isSequenceUsed(error)) throw error;
      this.#sequence = this.#bound;
      await action(await this.#next());
    }
  }

  async #next(): Promise<CardOperation> {
    const { cardId, reserve } = this.#options;
    if (this.#sequence >= this.#bound) {
      const bound = this.#bound + SEQUENCE_BLOCK;
      await reserve(bound);
      this.#bound = bound;
    }
    const sequence = ++this.#sequence;
    return { cardId, sequence, uuid: stableUuid(cardId, sequence) };
  }
}

function isSequenceUsed(error: unknown): boolean {
  return error instanceof FeishuRefusedError && error.platformCode === SEQUENCE_CODE;
}
