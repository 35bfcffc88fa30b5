/**
 * One CardKit card: what it shows and its settings, changed under strictly rising numbers.
 * @module
 */

import { type Clock, sleep } from "../../../actors/kernel/clock.ts";
import type { CardOperation } from "../api.ts";
import {
  FeishuRefusedError,
  hasCode,
  isPassing,
  SEQUENCE_CODE,
  STREAMING_OFF_CODES,
} from "../errors.ts";
import {
  type CardExtras,
  growingCard,
  REASONING_ELEMENT_ID,
  reasoningText,
  summaryOf,
  wholeCard,
} from "../render/card_json.ts";
import { ANSWER_ELEMENT_ID, type CardBody } from "../render/cards.ts";
import type { Sender } from "./sender.ts";
import { stableUuid } from "./uuid.ts";

/** How many numbers are reserved at once: one durable write for minutes of streaming. */
export const SEQUENCE_BLOCK = 1_000;

/** The platform takes ten operations a second and card; people see no difference above two. */
const UPDATE_INTERVAL_MS = 500;
/** The platform ends streaming after ten minutes. */
const STREAMING_RENEWED_MS = 540_000;

/** What a growing card shows. */
export interface CardView {
  readonly markdown: string;
  readonly extras: CardExtras;
}

/** What a card is opened with. */
export interface StreamingCardOptions {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly cardId: string;
  /** The highest number that may have been used. */
  readonly sequenceBound: number;
  /** What a card that was just made shows; null for one of an earlier run, whose state is unknown. */
  readonly view: CardView | null;
  /** Stores a higher bound; resolves when durable. */
  readonly reserve: (sequenceBound: number) => Promise<void>;
}

/** A card that people see growing. Its calls must not overlap. */
export class StreamingCard {
  readonly #options: StreamingCardOptions;
  #sequence: number;
  #bound: number;
  #view: CardView | null;
  /** The JSON it was completed with. */
  #whole: string | null = null;
  #isStreaming = true;
  #streamingSinceMs: number;
  /** When the next update may go out. */
  #nextMs: number;

  constructor(options: StreamingCardOptions) {
    const { clock, sequenceBound, view } = options;
    const isNew = view !== null;
    this.#options = options;
    this.#bound = sequenceBound;
    this.#sequence = isNew ? 0 : sequenceBound;
    this.#view = view;
    this.#streamingSinceMs = clock.now();
    this.#nextMs = isNew ? clock.now() + UPDATE_INTERVAL_MS : -Infinity;
  }

  /** Shows `view` as soon as the pace allows; does nothing when it is shown already. */
  async show(view: CardView, signal: AbortSignal): Promise<void> {
    const { markdown, extras } = view;
    const change = this.#whole === null ? changeOf(this.#view, view) : "frame";
    if (change === "none") return;
    await this.rest(signal);
    await this.#renew(signal);
    if (change === "frame" || !this.#isStreaming) {
      await this.#replace(growingCard(markdown, extras), signal);
      this.#isStreaming = true;
    } else if (change === "text") await this.#setText(ANSWER_ELEMENT_ID, markdown, signal);
    else await this.#setText(REASONING_ELEMENT_ID, reasoningText(extras.reasoning), signal);
    this.#view = view;
    this.#whole = null;
  }

  /** Shows the whole of what belongs here and ends the streaming; nothing runs any more. */
  async finish(
    body: CardBody,
    extras: CardExtras,
    signal: AbortSignal,
  ): Promise<void> {
    const whole = wholeCard(body.elements, extras);
    if (whole !== this.#whole) {
      await this.#complete(body, extras, signal);
      this.#whole = whole;
    }
    await this.close(body.markdown, signal);
  }

  /** Ends the streaming: the card becomes an ordinary message with a summary. */
  async close(markdown: string, signal: AbortSignal): Promise<void> {
    if (!this.#isStreaming) return;
    const summary = { content: summaryOf(markdown) };
    await this.#change({ streaming_mode: false, summary }, signal);
    this.#isStreaming = false;
  }

  /** Waits until the next update may go out. */
  async rest(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const waitMs = this.#nextMs - clock.now();
    if (waitMs > 0) await sleep(clock, waitMs, signal);
  }

  async #complete(
    body: CardBody,
    extras: CardExtras,
    signal: AbortSignal,
  ): Promise<void> {
    const plain = { markdown: body.markdown, extras };
    const isOneText = body.elements.length === 1 && body.elements[0]?.["tag"] === "markdown";
    if (isOneText && this.#isStreaming && this.#view !== null) {
      return await this.show(plain, signal);
    }
    await this.rest(signal);
    try {
      await this.#replace(wholeCard(body.elements, extras, this.#isStreaming), signal);
    } catch (error) {
      if (isOneText || isPassing(error) || !(error instanceof FeishuRefusedError)) throw error;
      // Some component is not to its taste: the same as Markdown alone.
      await this.show(plain, signal);
    }
    this.#view = plain;
  }

  /** Streaming that is about to end by itself begins anew. */
  async #renew(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    if (!this.#isStreaming) return;
    if (clock.now() - this.#streamingSinceMs < STREAMING_RENEWED_MS) return;
    await this.#change({ streaming_mode: false }, signal);
    await this.#startStreaming(signal);
  }

  async #startStreaming(signal: AbortSignal): Promise<void> {
    await this.#change({ streaming_mode: true }, signal);
    this.#isStreaming = true;
    this.#streamingSinceMs = this.#options.clock.now();
  }

  #setText(elementId: string, text: string, signal: AbortSignal): Promise<void> {
    const { api } = this.#options.sender;
    return this.#update(
      (operation) => api.updateCardText({ ...operation, elementId, text }, signal),
      signal,
    );
  }

  #replace(cardJson: string, signal: AbortSignal): Promise<void> {
    const { api } = this.#options.sender;
    return this.#update((operation) => api.replaceCard({ ...operation, cardJson }, signal), signal);
  }

  /** Does `action`; where streaming is off, switches it on and repeats once. */
  async #update(
    action: (operation: CardOperation) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await this.#operate(action, signal);
    } catch (error) {
      if (!hasCode(error, STREAMING_OFF_CODES)) throw error;
      await this.#startStreaming(signal);
      await this.#operate(action, signal);
    }
    this.#nextMs = this.#options.clock.now() + UPDATE_INTERVAL_MS;
  }

  #change(settings: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<void> {
    const { api } = this.#options.sender;
    return this.#operate(
      (operation) => api.updateCardSettings({ ...operation, settings }, signal),
      signal,
    );
  }

  /** Does `action` with the next number; where that was used, repeats once with a higher one. */
  async #operate(
    action: (operation: CardOperation) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { sender } = this.#options;
    const first = await this.#next();
    try {
      await sender.card(() => action(first), signal);
    } catch (error) {
      if (!(error instanceof FeishuRefusedError) || error.platformCode !== SEQUENCE_CODE) {
        throw error;
      }
      this.#sequence = this.#bound;
      const second = await this.#next();
      await sender.card(() => action(second), signal);
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

/** What of a card has to change. `frame`: more than the text of one element. */
type ViewChange = "none" | "text" | "reasoning" | "frame";

function changeOf(before: CardView | null, after: CardView): ViewChange {
  if (before === null) return "frame";
  const { reasoning: oldReasoning, ...oldFrame } = before.extras;
  const { reasoning, ...frame } = after.extras;
  const hasSameFrame = JSON.stringify(oldFrame) === JSON.stringify(frame) &&
    (oldReasoning === "") === (reasoning === "");
  if (!hasSameFrame) return "frame";
  const isSameText = before.markdown === after.markdown;
  if (oldReasoning === reasoning) return isSameText ? "none" : "text";
  return isSameText ? "reasoning" : "frame";
}
