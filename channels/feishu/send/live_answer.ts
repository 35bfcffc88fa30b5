/**
 * An answer that grows in cards: one card, and a further one where the text no longer fits.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import { type CardExtras, growingCard, NO_EXTRAS } from "../render/card_json.ts";
import { type CardBody, layOutCards } from "../render/cards.ts";
import { BODY_BYTES_BESIDE_REASONING, BODY_BYTES_MAX, TABLES_MAX } from "../render/limits.ts";
import { mendTail } from "../../markdown/tail.ts";
import { cardMessage } from "./parts.ts";
import type { DeliveryRecord } from "./record.ts";
import type { Sender } from "./sender.ts";
import type { CardRecord } from "./state.ts";
import { type CardView, SEQUENCE_BLOCK, StreamingCard } from "./streaming_card.ts";
import type { Target } from "./target.ts";
import { stableUuid } from "./uuid.ts";

/** An answer as it stands. */
export interface Growing {
  readonly text: string;
  /** What the model thought on the way; "" where that is not shown. */
  readonly reasoning: string;
  /** Lines of what runs just now. */
  readonly running: readonly string[];
}

/** What stands in a card without text: a card cannot be empty. */
const NO_TEXT = "…";
/** Tools named in the folded list; an answer that runs more names the last ones. */
const STEPS_MAX = 100;

/** What a live answer is made of. */
export interface LiveAnswerOptions {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly record: DeliveryRecord;
  readonly target: Target;
}

/** The cards of one delivery. Its calls must not overlap; they throw what the platform answers. */
export class LiveAnswer {
  readonly #options: LiveAnswerOptions;
  readonly #record: DeliveryRecord;
  readonly #cards: StreamingCard[] = [];
  #running: readonly string[] = [];

  /** Takes up the cards that the record knows. */
  constructor(options: LiveAnswerOptions) {
    this.#options = options;
    this.#record = options.record;
    for (const [index, card] of this.#records.entries()) {
      this.#cards.push(this.#open(index, card.card_id, card.sequence_bound, null));
    }
  }

  /** Has anything been put into the chat? */
  get hasCards(): boolean {
    return this.#cards.length > 0;
  }

  /** Message ids of the cards, in order. */
  get messageIds(): readonly string[] {
    return this.#records.flatMap(({ message_id: id }) => id === null ? [] : [id]);
  }

  /**
   * Shows the text so far, before it what was thought, and below it what runs just now. Resolves
   * when a next call can be shown at once: so the newest text is what people see next, half a second
   * later at most.
   */
  async grow({ text, reasoning, running }: Growing, signal: AbortSignal): Promise<void> {
    this.#noteSteps(running);
    this.#noteReasoning(reasoning.trim());
    const bodies = this.#layOut(mendTail(text));
    const isBlank = bodies.length === 0 && running.length === 0 && reasoning.trim() === "";
    if (isBlank && !this.hasCards) return;
    const shown = bodies.length === 0 ? [NOTHING] : bodies;
    await this.#finishAll(shown.slice(0, -1), signal);
    const index = shown.length - 1;
    const view = { markdown: shown[index]?.markdown ?? NO_TEXT, extras: this.#extrasOf(index) };
    const card = this.#cards[index] ?? await this.#add(index, view, signal);
    await this.#place(index, signal);
    await card.show(view, signal);
    for (const extra of this.#cards.slice(shown.length)) {
      await extra.show({ markdown: NO_TEXT, extras: NO_EXTRAS }, signal);
    }
    await card.rest(signal);
  }

  /** Shows the whole text and ends all cards. */
  async complete(text: string, signal: AbortSignal): Promise<void> {
    this.#running = [];
    const bodies = this.#layOut(text);
    await this.#finishAll(bodies, signal);
    await this.#withdrawFrom(bodies.length, signal);
  }

  /** Takes the cards back: their text stands elsewhere, or there is none. */
  withdraw(signal: AbortSignal): Promise<void> {
    return this.#withdrawFrom(0, signal);
  }

  /** What was thought stands in the first card, before all text. */
  #reasoningOf(index: number): string {
    return index === 0 ? this.#record.state.reasoning : "";
  }

  #extrasOf(index: number): CardExtras {
    const { steps } = this.#record.state;
    return { reasoning: this.#reasoningOf(index), running: this.#running, steps };
  }

  #noteSteps(running: readonly string[]): void {
    const { steps } = this.#record.state;
    const added = running.filter((step) => !this.#running.includes(step) && !steps.includes(step));
    this.#running = running;
    if (added.length > 0) this.#record.note({ steps: [...steps, ...added].slice(-STEPS_MAX) });
  }

  /** Once there, it stays: what of it comes again is only more. */
  #noteReasoning(reasoning: string): void {
    const hasNews = reasoning !== "" && reasoning !== this.#record.state.reasoning;
    if (hasNews) this.#record.note({ reasoning });
  }

  #layOut(text: string): readonly CardBody[] {
    const { images, reasoning } = this.#record.state;
    const bytesMax = reasoning === "" ? BODY_BYTES_MAX : BODY_BYTES_BESIDE_REASONING;
    const limits = { bytesMax, tablesMax: TABLES_MAX };
    return layOutCards(text, new Map(Object.entries(images)), limits);
  }

  /** Each body in a card of its own that is complete; what ran folds away in the last one. */
  async #finishAll(bodies: readonly CardBody[], signal: AbortSignal): Promise<void> {
    for (const [index, body] of bodies.entries()) {
      const isLast = this.#running.length === 0 && index === bodies.length - 1;
      const steps = isLast ? this.#record.state.steps : [];
      const extras = { reasoning: this.#reasoningOf(index), running: [], steps };
      const view = { markdown: body.markdown, extras };
      const card = this.#cards[index] ?? await this.#add(index, view, signal);
      await this.#place(index, signal);
      await card.finish(body, extras, signal);
    }
  }

  /** Makes the next card; the one before it is complete. */
  async #add(index: number, view: CardView, signal: AbortSignal): Promise<StreamingCard> {
    const { sender } = this.#options;
    const source = growingCard(view.markdown, view.extras);
    const cardId = await sender.card(() => sender.api.createCard(source, signal), signal);
    const record: CardRecord = {
      card_id: cardId,
      message_id: null,
      sequence_bound: SEQUENCE_BLOCK,
    };
    await this.#record.save({ cards: [...this.#records, record] });
    const card = this.#open(index, cardId, SEQUENCE_BLOCK, view);
    this.#cards.push(card);
    return card;
  }

  /** Puts the card into the chat, unless it is there. */
  async #place(index: number, signal: AbortSignal): Promise<void> {
    const record = this.#records[index];
    if (record === undefined || record.message_id !== null) return;
    const { sender, target } = this.#options;
    const uuid = stableUuid(this.#record.key, "card", index, record.card_id);
    const id = await sender.send(target, { ...cardMessage(record.card_id), uuid, index }, signal);
    await this.#save(index, { message_id: id });
  }

  async #withdrawFrom(start: number, signal: AbortSignal): Promise<void> {
    for (const [index, { message_id: id }] of this.#records.entries()) {
      if (id === null || index < start) continue;
      try {
        await this.#options.sender.api.deleteMessage(id, signal);
      } catch {
        await this.#cards[index]?.finish(NOTHING, NO_EXTRAS, signal);
      }
    }
    const cards = this.#records.slice(0, start);
    if (cards.length === this.#records.length) return;
    this.#cards.splice(start);
    this.#record.note({ cards });
  }

  #open(
    index: number,
    cardId: string,
    sequenceBound: number,
    view: CardView | null,
  ): StreamingCard {
    const { sender, clock } = this.#options;
    const reserve = (bound: number): Promise<void> => this.#save(index, { sequence_bound: bound });
    return new StreamingCard({ sender, clock, cardId, sequenceBound, view, reserve });
  }

  get #records(): readonly CardRecord[] {
    return this.#record.state.cards;
  }

  #save(index: number, change: Partial<CardRecord>): Promise<void> {
    const cards = this.#records.map((card, at) => at === index ? { ...card, ...change } : card);
    return this.#record.save({ cards });
  }
}

/** A card that waits for its text. */
const NOTHING: CardBody = {
  markdown: NO_TEXT,
  elements: [{ tag: "markdown", content: NO_TEXT, element_id: "answer" }],
};
