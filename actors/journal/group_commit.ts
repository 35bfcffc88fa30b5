/**
 * Group commit: the calls of one turn of the event loop share one transaction, and so one sync of
 * the disk. There is no timer; whatever gathered goes at the loop's next turn.
 * @module
 */

import { asError } from "../kernel/errors.ts";
import { JournalError, type JournalTrouble, type PastTrouble } from "./journal.ts";
import type { Durability } from "./journal_rows.ts";
import type { JournalStore } from "./store.ts";

/** Calls in one transaction at most: a group stays within a few milliseconds of the event loop. */
const CALLS_PER_GROUP = 256;

/** What a call needs: nothing that lasts, a record that may be lost with the power, or a sync. */
type CallKind = "read" | Durability;

/** A call that waits for its turn. */
interface Call {
  readonly kind: CallKind;
  /** Does the work and keeps its value; throws what the work throws. */
  run(): void;
  /** Gives the kept value to the caller. */
  succeed(): void;
  fail(error: Error): void;
}

/** What group commits take from outside. */
export interface GroupCommitOptions {
  /** Calls back at the event loop's next turn. */
  readonly defer: (callback: () => void) => void;
  /** Dates trouble. */
  readonly now: () => number;
}

/** open: takes calls; closed: refuses them; dead: the process is gone, nobody hears anything. */
type State = "open" | "closed" | "dead";

/**
 * Runs calls against a store in the order in which they were made. A call that fails leaves no
 * trace and does not touch the others of its group.
 */
export class GroupCommit {
  readonly #store: Pick<JournalStore, "transaction">;
  readonly #options: GroupCommitOptions;
  readonly #commitDeferred = (): void => this.#commitNext();
  #waiting: Call[] = [];
  #state: State = "open";
  #trouble: JournalTrouble | null = null;
  #pastTrouble: PastTrouble | null = null;

  constructor(store: Pick<JournalStore, "transaction">, options: GroupCommitOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Why the last write failed for the storage's sake; null when it did not. */
  get trouble(): JournalTrouble | null {
    return this.#trouble;
  }

  /** The last trouble that is over; null when there was none. */
  get pastTrouble(): PastTrouble | null {
    return this.#pastTrouble;
  }

  /** Runs `work` in the next transaction; resolves when that is as durable as wanted. */
  write<T>(work: () => T, durability: Durability = "synced"): Promise<T> {
    return this.#call(work, durability);
  }

  /** Runs `work` after all earlier calls; at once when none waits. */
  read<T>(work: () => T): Promise<T> {
    return this.#call(work, "read");
  }

  /** Commits what waits and refuses what comes later. */
  close(): void {
    while (this.#waiting.length > 0) this.#commitGroup();
    if (this.#state === "open") this.#state = "closed";
  }

  /** From now on nothing is written and no caller is answered, as if the process had died. */
  die(): void {
    this.#state = "dead";
    this.#waiting = [];
  }

  #call<T>(work: () => T, kind: CallKind): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (this.#state === "dead") return promise;
    if (this.#state === "closed") {
      reject(new JournalError("journal_closed", "Cannot use the journal: it is closed"));
      return promise;
    }
    let succeed = (): void => {};
    const call: Call = {
      kind,
      run: () => {
        const value = work();
        succeed = () => resolve(value);
      },
      succeed: () => succeed(),
      fail: reject,
    };
    if (kind === "read" && this.#waiting.length === 0) this.#runAlone(call);
    else this.#enqueue(call);
    return promise;
  }

  #enqueue(call: Call): void {
    this.#waiting.push(call);
    if (this.#waiting.length === 1) this.#options.defer(this.#commitDeferred);
  }

  #commitNext(): void {
    this.#commitGroup();
    if (this.#waiting.length > 0) this.#options.defer(this.#commitDeferred);
  }

  #commitGroup(): void {
    const group = this.#waiting.slice(0, CALLS_PER_GROUP);
    const [first] = group;
    if (first === undefined) return;
    if (group.length === 1) {
      this.#runAlone(first);
    } else {
      this.#runTogether(group);
    }
    // Only now: reads that arrive while a group is under way line up behind it.
    this.#waiting = this.#waiting.slice(group.length);
  }

  #runTogether(group: readonly Call[]): void {
    try {
      this.#store.transaction(() => {
        for (const call of group) call.run();
      }, group.some(({ kind }) => kind === "synced") ? "synced" : "written");
    } catch {
      // One of them failed, or the commit: nothing was kept, so each can be tried by itself.
      for (const call of group) this.#runAlone(call);
      return;
    }
    if (this.#state === "dead") return;
    if (group.some(({ kind }) => kind !== "read")) this.#noteSuccess();
    for (const call of group) call.succeed();
  }

  #runAlone(call: Call): void {
    try {
      if (call.kind === "read") call.run();
      else this.#store.transaction(() => call.run(), call.kind);
    } catch (thrown) {
      const error = asError(thrown);
      if (this.#state === "dead") return;
      if (call.kind !== "read") this.#noteFailure(error);
      return call.fail(error);
    }
    if (this.#state === "dead") return;
    if (call.kind !== "read") this.#noteSuccess();
    call.succeed();
  }

  #noteSuccess(): void {
    if (this.#trouble === null) return;
    this.#pastTrouble = { ...this.#trouble, untilMs: this.#options.now() };
    this.#trouble = null;
  }

  #noteFailure(error: Error): void {
    if (!(error instanceof JournalError)) return;
    const { code, message } = error;
    this.#trouble = { code, message, sinceMs: this.#trouble?.sinceMs ?? this.#options.now() };
  }
}
