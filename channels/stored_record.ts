/**
 * The stored state of one delivery, changed and saved together.
 * @module
 */

import type { JsonValue } from "../actors/kernel/json.ts";
import type { Keeping } from "./channel.ts";

/** Where states are stored; resolves when durable. */
export type Remember = (key: string, state: JsonValue, keeping?: Keeping) => Promise<void>;

/** What a record is made of. */
export interface StoredRecordOptions<State> {
  readonly key: string;
  readonly state: State;
  /** The state as it is stored. */
  readonly write: (state: State) => JsonValue;
  readonly remember: Remember;
}

/** What the platform has of one delivery. */
export class StoredRecord<State extends object> {
  readonly key: string;
  readonly #write: (state: State) => JsonValue;
  readonly #remember: Remember;
  #state: State;

  constructor({ key, state, write, remember }: StoredRecordOptions<State>) {
    this.key = key;
    this.#write = write;
    this.#remember = remember;
    this.#state = state;
  }

  get state(): State {
    return this.#state;
  }

  /** Changes the state in memory; it becomes durable with the next save, if there is one. */
  note(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
  }

  /** Changes the state; resolves when it is durable. @param keeping as a channel's `remember` */
  async save(change: Partial<State>, keeping?: Keeping): Promise<void> {
    this.note(change);
    await this.#remember(this.key, this.#write(this.#state), keeping);
  }
}
