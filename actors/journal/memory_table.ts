/**
 * Maps and sets whose changes can be taken back.
 * @module
 */

/** How to take back what was done, in the order in which it was done. */
export class UndoLog {
  #steps: (() => void)[] = [];

  /** Notes how to take one change back. */
  note(step: () => void): void {
    this.#steps.push(step);
  }

  /** Takes all noted changes back, newest first. */
  takeBack(): void {
    for (const step of this.#steps.toReversed()) step();
    this.#steps = [];
  }

  /** Keeps the changes, as far as this log is concerned; `later` can take them back. */
  keep(later?: UndoLog): void {
    if (later !== undefined) { for (const step of this.#steps) later.note(step); }
    this.#steps = [];
  }
}

/** How the rows of a table are ordered. */
export type Order<K, V> = (a: readonly [K, V], b: readonly [K, V]) => number;

/** A map that notes its changes. Values are replaced, never changed in place. */
export class Table<K extends string | number, V> {
  readonly #rows = new Map<K, V>();
  readonly #undo: UndoLog;
  readonly #order: Order<K, V>;
  /** Made when it is asked for: between two commits most tables stay as they are. */
  #listed: readonly V[] | undefined;

  /** @param order of {@link Table.list}; by their keys without */
  constructor(undo: UndoLog, order: Order<K, V> = byKey) {
    this.#undo = undo;
    this.#order = order;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: K): V | undefined {
    return this.#rows.get(key);
  }

  has(key: K): boolean {
    return this.#rows.has(key);
  }

  entries(): [K, V][] {
    return [...this.#rows];
  }

  values(): V[] {
    return [...this.#rows.values()];
  }

  /** All values in order: the very same list, as long as none of them changes. */
  list(): readonly V[] {
    return this.#listed ??= this.entries().sort(this.#order).map(([, value]) => value);
  }

  /** Sets a value; undefined deletes it. */
  set(key: K, value: V | undefined): void {
    const former = this.#rows.get(key);
    if (former === value) return;
    this.#put(key, value);
    this.#undo.note(() => this.#put(key, former));
  }

  #put(key: K, value: V | undefined): void {
    this.#listed = undefined;
    if (value === undefined) this.#rows.delete(key);
    else this.#rows.set(key, value);
  }
}

/** Keys that stand out, to be found without looking at all rows. */
export class Marks<K extends string | number> {
  readonly #table: Table<K, true>;

  constructor(undo: UndoLog) {
    this.#table = new Table(undo);
  }

  keys(): K[] {
    return this.#table.entries().map(([key]) => key);
  }

  /** Marks a key, or takes the mark away. */
  set(key: K, isMarked: boolean): void {
    this.#table.set(key, isMarked ? true : undefined);
  }
}

function byKey<K extends string | number>(
  [a]: readonly [K, unknown],
  [b]: readonly [K, unknown],
): number {
  return a < b ? -1 : 1;
}
