/**
 * What a channel stored last for its deliveries: one that was asked for before that carries less.
 * @module
 */

import type { JsonValue } from "../actors/kernel/json.ts";
import type { Delivery } from "./channel.ts";

/** Deliveries that it knows of. The oldest go first: who asks has long heard of theirs. */
const KEYS_MAX = 1_000;

/** Of one life of a channel. */
export class DeliveryMemory {
  readonly #states = new Map<string, JsonValue>();

  /** Something is durable. */
  stored(key: string, channelState: JsonValue): void {
    this.#states.delete(key);
    this.#states.set(key, channelState);
    const [oldest] = this.#states.keys();
    if (this.#states.size > KEYS_MAX && oldest !== undefined) this.#states.delete(oldest);
  }

  /** Nothing is to come for it, or nobody can tell what is stored. */
  forget(key: string): void {
    this.#states.delete(key);
  }

  /** The delivery with what was stored last. */
  newest(delivery: Delivery): Delivery {
    const channelState = this.#states.get(delivery.key);
    return channelState === undefined ? delivery : { ...delivery, channelState };
  }
}
