/**
 * The Signal keys of a device on disk. A message moves the keys on by which it was read, so that it
 * cannot be read again: both are written together, or neither is.
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { DatabaseSync, StatementSync } from "node:sqlite";

/** A key as it is to be from now on; null takes it away. */
export interface KeyChange {
  readonly type: string;
  readonly id: string;
  readonly value: string | null;
}

/** Keys that wait for what is written with them. */
type Batch = Map<string, KeyChange>;

/** All keys of one device. */
export class DeviceKeys {
  readonly #database: DatabaseSync;
  readonly #device: number;
  readonly #reading: StatementSync;
  readonly #writing: StatementSync;
  readonly #removing: StatementSync;
  readonly #batches = new AsyncLocalStorage<Batch>();
  readonly #open = new Set<Batch>();

  constructor(database: DatabaseSync, device: number) {
    this.#database = database;
    this.#device = device;
    this.#reading = database.prepare(
      "select value from keys where device = ? and type = ? and id = ?",
    );
    this.#writing = database.prepare(
      "insert or replace into keys (device, type, id, value) values (?, ?, ?, ?)",
    );
    this.#removing = database.prepare("delete from keys where device = ? and type = ? and id = ?");
  }

  /** The key as it is now; null when there is none. */
  get(type: string, id: string): string | null {
    const place = placeOf(type, id);
    for (const batch of this.#open) {
      const change = batch.get(place);
      if (change !== undefined) return change.value;
    }
    const row = this.#reading.get(this.#device, type, id);
    return row === undefined ? null : String(row["value"]);
  }

  /** Changes keys, all or none; they are durable when it returns, unless they wait for more. */
  set(changes: readonly KeyChange[]): void {
    const own = this.#batches.getStore();
    const isWaiting = own !== undefined && this.#open.has(own);
    for (const change of changes) {
      const place = placeOf(change.type, change.id);
      // What is newer takes the place of what waits.
      for (const batch of this.#open) batch.delete(place);
      if (isWaiting) own.set(place, change);
    }
    if (!isWaiting) this.#inTransaction(() => this.#write(changes));
  }

  /**
   * Does work that changes keys, and makes its changes durable together with what comes of it. They
   * become durable as well when the work fails.
   *
   * @param write writes to the same database what the work gave
   */
  async together<T>(work: () => Promise<T>, write: (result: T) => void): Promise<T> {
    const batch: Batch = new Map();
    this.#open.add(batch);
    try {
      const result = await this.#batches.run(batch, work);
      this.#close(batch, () => write(result));
      return result;
    } catch (error) {
      this.#close(batch, () => {});
      throw error;
    }
  }

  #close(batch: Batch, write: () => void): void {
    if (!this.#open.delete(batch)) return;
    this.#inTransaction(() => {
      this.#write([...batch.values()]);
      write();
    });
  }

  #write(changes: readonly KeyChange[]): void {
    for (const { type, id, value } of changes) {
      if (value === null) this.#removing.run(this.#device, type, id);
      else this.#writing.run(this.#device, type, id, value);
    }
  }

  #inTransaction(work: () => void): void {
    this.#database.exec("begin immediate");
    try {
      work();
      this.#database.exec("commit");
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("rollback");
      throw error;
    }
  }
}

function placeOf(type: string, id: string): string {
  return `${type} ${id}`;
}
