/**
 * The stored state of one delivery, changed and saved together.
 * @module
 */

import type { JsonValue } from "../../../actors/kernel/json.ts";
import { type DeliveryState, readState, writeState } from "./state.ts";

/** Where states are stored; resolves when durable. */
export type Remember = (key: string, state: JsonValue) => Promise<void>;

/** What the platform has of one delivery. */
export class DeliveryRecord {
  readonly key: string;
  readonly #remember: Remember;
  #state: DeliveryState;

  /** @param stored what was last remembered under `key` */
  constructor(key: string, stored: JsonValue, remember: Remember) {
    this.key = key;
    this.#state = readState(stored);
    this.#remember = remember;
  }

  get state(): DeliveryState {
    return this.#state;
  }

  /** Changes the state in memory; it becomes durable with the next save, if there is one. */
  note(change: Partial<DeliveryState>): void {
    this.#state = { ...this.#state, ...change };
  }

  /** Changes the state; resolves when it is durable. */
  async save(change: Partial<DeliveryState>): Promise<void> {
    this.note(change);
    await this.#remember(this.key, writeState(this.#state));
  }
}
