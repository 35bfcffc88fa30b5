/**
 * An answer that grows in cards: one card, and a further one where the text no longer fits.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import type { FeishuApi } from "../api.ts";
import { Pacer } from "./pacer.ts";
import type { DeliveryRecord } from "./record.ts";
import { CARD_LIMITS, cardMarkdown, cardMessage, streamingCard } from "./render.ts";
import { splitMarkdown } from "./split.ts";
import type { CardRecord } from "./state.ts";
import { SEQUENCE_BLOCK, StreamingCard } from "./streaming_card.ts";
import { sendTo, type Target } from "./target.ts";
import { stableUuid } from "./uuid.ts";

/** What stands in a card whose text went elsewhere: a card cannot be empty. */
const EMPTIED = "…";

/** The platform takes ten operations a second and card; people see no difference above two. */
const UPDATE_INTERVAL_MS = 500;

/** The cards of one delivery. Its calls must not overlap; they throw what the platform answers. */
export class LiveAnswer {
  readonly #api: FeishuApi;
  readonly #clock: Clock;
  readonly #record: DeliveryRecord;
  readonly #target: Target;
  readonly #cards: StreamingCard[] = [];

  /** Takes up the cards that `record` knows. */
  constructor(api: FeishuApi, clock: Clock, record: DeliveryRecord, target: Target) {
    this.#api = api;
    this.#clock = clock;
    this.#record = record;
    this.#target = target;
    for (const [index, card] of record.state.cards.entries()) {
      this.#cards.push(this.#open(index, card.card_id, { bound: card.sequence_bound, text: null }));
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

  /** Shows the text so far, and below it what runs just now. */
  async grow(text: string, activity: string, signal: AbortSignal): Promise<void> {
    const pieces = [...piecesOf(text)];
    if (activity !== "") pieces.push([pieces.pop(), activity].filter(Boolean).join("\n\n"));
    await this.#show(pieces, signal);
  }

  /** Shows the whole text and ends all cards. */
  async complete(text: string, signal: AbortSignal): Promise<void> {
    await this.#show(piecesOf(text), signal);
    for (const card of this.#cards) await card.close(signal);
  }

  /** Takes the cards back: their text stands elsewhere, or there is none. */
  async withdraw(signal: AbortSignal): Promise<void> {
    for (const [index, { message_id: id }] of this.#records.entries()) {
      if (id === null) continue;
      try {
        await this.#api.deleteMessage(id, signal);
      } catch {
        await this.#cards[index]?.close(signal);
      }
    }
  }

  async #show(pieces: readonly string[], signal: AbortSignal): Promise<void> {
    for (const [index, piece] of pieces.entries()) {
      const card = this.#cards[index] ?? await this.#add(index, piece, signal);
      await this.#place(index, signal);
      await card.show(piece, signal);
    }
    for (const card of this.#cards.slice(pieces.length)) await card.show(EMPTIED, signal);
  }

  /** Makes the next card; the one before it is complete. */
  async #add(index: number, text: string, signal: AbortSignal): Promise<StreamingCard> {
    await this.#cards[index - 1]?.close(signal);
    const cardId = await this.#api.createCard(streamingCard(text), signal);
    const record: CardRecord = {
      card_id: cardId,
      message_id: null,
      sequence_bound: SEQUENCE_BLOCK,
    };
    await this.#record.save({ cards: [...this.#records, record] });
    const card = this.#open(index, cardId, { bound: SEQUENCE_BLOCK, text, isNew: true });
    this.#cards.push(card);
    return card;
  }

  /** Puts the card into the chat, unless it is there. */
  async #place(index: number, signal: AbortSignal): Promise<void> {
    const record = this.#records[index];
    if (record === undefined || record.message_id !== null) return;
    const uuid = stableUuid(this.#record.key, "card", index, record.card_id);
    const message = { ...cardMessage(record.card_id), uuid, index };
    const id = await sendTo(this.#api, this.#target, message, signal);
    await this.#save(index, { message_id: id });
  }

  #open(
    index: number,
    cardId: string,
    { bound, text, isNew = false }: {
      readonly bound: number;
      readonly text: string | null;
      readonly isNew?: boolean;
    },
  ): StreamingCard {
    const pacer = new Pacer(this.#clock, UPDATE_INTERVAL_MS);
    if (isNew) pacer.count();
    return new StreamingCard({
      api: this.#api,
      cardId,
      pacer,
      sequenceBound: bound,
      isNew,
      text,
      reserve: (sequenceBound) => this.#save(index, { sequence_bound: sequenceBound }),
    });
  }

  get #records(): readonly CardRecord[] {
    return this.#record.state.cards;
  }

  #save(index: number, change: Partial<CardRecord>): Promise<void> {
    const cards = this.#records.map((card, at) => at === index ? { ...card, ...change } : card);
    return this.#record.save({ cards });
  }
}

function piecesOf(text: string): readonly string[] {
  return splitMarkdown(cardMarkdown(text.trim()), CARD_LIMITS);
}
