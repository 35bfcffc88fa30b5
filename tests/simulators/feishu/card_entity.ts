/**
 * A card entity: content that lives apart from the message that shows it, with numbered operations
 * and a streaming mode that ends by itself.
 * @module
 */

import {
  asList,
  asNode,
  asText,
  cardBytes,
  type CardLimits,
  type CardNode,
  checkCard,
  checkElementIds,
  elementsOf,
  findElement,
  isNode,
  renderCard,
} from "./card_json.ts";
import { Refusal } from "./refusal.ts";

/** Settings of all cards of a platform. */
export interface CardRules extends CardLimits {
  /** How long streaming lasts after it was switched on. */
  readonly streamingMs: number;
  /** How long an entity can be operated on. */
  readonly lifeMs: number;
}

/** Number and key of one operation. */
export interface CardOperation {
  readonly sequence: number;
  readonly uuid?: string | undefined;
  /** The request without its sequence; the same uuid must come with the same one. */
  readonly fingerprint: string;
}

const CONTENT_CHARACTERS_MAX = 100_000;

/** One card; operations are applied whole or refused without effect. */
export class CardEntity {
  readonly cardId: string;
  /** The message that shows it, once it was sent. */
  messageId: string | undefined;
  readonly #rules: CardRules;
  readonly #createdAtMs: number;
  readonly #done = new Map<string, string>();
  #card: CardNode;
  #sequence = 0;
  #streamingSinceMs: number | undefined;
  #hasTimedOut = false;

  constructor(cardId: string, card: CardNode, rules: CardRules, nowMs: number) {
    this.cardId = cardId;
    this.#rules = rules;
    this.#createdAtMs = nowMs;
    this.#card = this.#checked(card);
    this.#switchStreaming(nowMs);
  }

  /** The card's JSON as it is now. */
  get json(): CardNode {
    return this.#card;
  }

  /** The highest sequence that was applied; 0 at first. */
  get sequence(): number {
    return this.#sequence;
  }

  /** What a person reads in it. */
  get text(): string {
    return renderCard(this.#card);
  }

  /** Whether clients show it as still being written. */
  isStreaming(nowMs: number): boolean {
    return this.#streamingSinceMs !== undefined &&
      nowMs - this.#streamingSinceMs < this.#rules.streamingMs;
  }

  /** The line in the chat list. */
  summary(nowMs: number): string {
    if (this.isStreaming(nowMs)) return "[Generating…]";
    const summary = asNode(asNode(this.#card["config"])?.["summary"]);
    return asText(summary?.["content"]) || (this.text.split("\n")[0] ?? "");
  }

  /**
   * Applies `change` to a copy of the card, which then replaces it.
   *
   * @throws {Refusal} and leaves everything as it was
   */
  operate(operation: CardOperation, nowMs: number, change: (card: CardNode) => CardNode): void {
    if (nowMs - this.#createdAtMs > this.#rules.lifeMs) throw new Refusal(200750, "card expired");
    const { uuid, fingerprint, sequence } = operation;
    const earlier = uuid === undefined ? undefined : this.#done.get(uuid);
    if (earlier === fingerprint) return;
    if (earlier !== undefined) throw new Refusal(200770, "uuid was used by another request");
    if (sequence < 1 || sequence > 2_147_483_647 || sequence <= this.#sequence) {
      throw new Refusal(300317, `sequence ${sequence} is not above ${this.#sequence}`);
    }
    this.#endStreamingByTime(nowMs);
    this.#card = this.#checked(change(structuredClone(this.#card)));
    this.#sequence = sequence;
    if (uuid !== undefined) this.#done.set(uuid, fingerprint);
    this.#switchStreaming(nowMs);
  }

  /** A change that sets an element's whole text; only a streaming card takes it. */
  setContent(elementId: string, content: string): (card: CardNode) => CardNode {
    return (card) => {
      if (this.#hasTimedOut) throw new Refusal(200850, "card streaming timed out");
      if (this.#streamingSinceMs === undefined) {
        throw new Refusal(300309, "card streaming mode is closed");
      }
      if (content === "" || content.length > CONTENT_CHARACTERS_MAX) {
        throw new Refusal(10002, "content must have 1 to 100000 characters");
      }
      const node = elementNode(card, elementId);
      const target = node["tag"] === "markdown" ? node : asNode(node["text"]) ?? node;
      if (!["markdown", "plain_text", "lark_md"].includes(asText(target["tag"]))) {
        throw new Refusal(300310, `element ${elementId} is no text element`);
      }
      target["content"] = content;
      return card;
    };
  }

  #switchStreaming(nowMs: number): void {
    const isWanted = asNode(this.#card["config"])?.["streaming_mode"] === true;
    if (!isWanted) {
      this.#streamingSinceMs = undefined;
      return;
    }
    this.#streamingSinceMs ??= nowMs;
    this.#hasTimedOut = false;
  }

  #endStreamingByTime(nowMs: number): void {
    if (this.#streamingSinceMs === undefined || this.isStreaming(nowMs)) return;
    this.#streamingSinceMs = undefined;
    this.#hasTimedOut = true;
    this.#card["config"] = { ...asNode(this.#card["config"]), streaming_mode: false };
  }

  #checked(card: CardNode): CardNode {
    if (card["schema"] !== "2.0") throw new Refusal(10002, "only card JSON 2.0 is supported");
    checkElementIds(card);
    checkCard(card, this.#rules);
    if (cardBytes(card) > this.#rules.bytesMax) {
      throw new Refusal(200860, "card content exceeds the limit of 30 KB");
    }
    return card;
  }
}

/** @throws {Refusal} 300313 when the card has no such element */
export function elementNode(card: CardNode, elementId: string): CardNode {
  const place = findElement(elementsOf(card), elementId);
  const value = place?.list[place.index];
  if (!isNode(value)) throw new Refusal(300313, `element ${elementId} does not exist`);
  return value;
}

/** Changes to elements; each edits the given copy. */
export const cardChanges = {
  /** Merges `config` of a settings request. */
  settings: (config: CardNode) => (card: CardNode): CardNode => {
    card["config"] = { ...asNode(card["config"]), ...config };
    return card;
  },
  /** Adds elements before, after, or at the end (of a container, with a target). */
  add: (type: string, targetId: string | undefined, added: unknown[]) =>
  (
    card: CardNode,
  ): CardNode => {
    if (type === "append") {
      const list = targetId === undefined
        ? elementsOf(card)
        : asList(elementNode(card, targetId)["elements"]);
      list.push(...added);
      return card;
    }
    const place = findElement(elementsOf(card), targetId ?? "");
    if (place === undefined) throw new Refusal(300313, `element ${targetId} does not exist`);
    place.list.splice(place.index + (type === "insert_after" ? 1 : 0), 0, ...added);
    return card;
  },
  /** Puts another element in the place of one. */
  replace: (elementId: string, element: CardNode) => (card: CardNode): CardNode => {
    const place = findElement(elementsOf(card), elementId);
    if (place === undefined) throw new Refusal(300313, `element ${elementId} does not exist`);
    place.list[place.index] = element;
    return card;
  },
  /** Changes some fields of an element. */
  patch: (elementId: string, fields: CardNode) => (card: CardNode): CardNode => {
    return cardChanges.replace(elementId, { ...elementNode(card, elementId), ...fields })(card);
  },
  /** Takes elements out. */
  remove: (elementIds: readonly string[]) => (card: CardNode): CardNode => {
    for (const elementId of elementIds) {
      const place = findElement(elementsOf(card), elementId);
      if (place === undefined) throw new Refusal(300313, `element ${elementId} does not exist`);
      place.list.splice(place.index, 1);
    }
    return card;
  },
};
