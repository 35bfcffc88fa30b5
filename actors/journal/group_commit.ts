/**
 * Group commit: the calls of one turn of the event loop, and those that came while the disk was
 * busy, share one transaction, and so one sync. There is no timer; whatever gathered goes at the
 * loop's next turn.
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
  /** For work that takes its time, and must have the storage to itself: does it; never rejects. */
  readonly alone?: () => Promise<void>;
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
  /** Settles when the group that was committed last is on the disk; undefined when it is. */
  #syncing: Promise<void> | undefined;
  #state: State = "open";
  #trouble: JournalTrouble | null = null;
  #pastTrouble: PastTrouble | null = null;
  readonly #losing = new AbortController();

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

  /** Aborts at trouble that does not pass, with the failure as its reason. */
  get lost(): AbortSignal {
    return this.#losing.signal;
  }

  /** Runs `work` in the next transaction; resolves when that is as durable as wanted. */
  write<T>(work: () => T, durability: Durability = "synced"): Promise<T> {
    return this.#call(work, durability);
  }

  /** Runs `work` after all earlier calls; at once when none waits. */
  read<T>(work: () => T): Promise<T> {
    return this.#call(work, "read");
  }

  /** Runs `work` between two groups; nothing is written, and what is called waits, until it ends. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (this.#state === "dead") return promise;
    if (this.#state === "closed") return Promise.reject(closedError());
    const alone = () => work().then(resolve, reject);
    this.#enqueue({ kind: "written", alone, run: () => {}, succeed: () => {}, fail: reject });
    return promise;
  }

  /** Refuses what comes later; resolves when all that waits was committed. */
  async close(): Promise<void> {
    if (this.#state === "open") this.#state = "closed";
    while (this.#waiting.length > 0) {
      this.#commitNext();
      await this.#syncing;
    }
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
      reject(closedError());
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
    if (kind === "read" && this.#waiting.length === 0) this.#answer([call]);
    else this.#enqueue(call);
    return promise;
  }

  #enqueue(call: Call): void {
    this.#waiting.push(call);
    if (this.#waiting.length === 1) this.#options.defer(this.#commitDeferred);
  }

  /**
   * What is called until the group is as durable as it must be lines up behind it: nobody may see,
   * and pass on, what a power cut could still undo.
   */
  #commitNext(): void {
    if (this.#syncing !== undefined || this.#waiting.length === 0) return;
    const group = this.#nextGroup();
    const [first] = group;
    const syncing = first?.alone === undefined ? this.#answer(group) : first.alone();
    if (syncing === undefined) return this.#groupOver(group);
    this.#syncing = syncing.then(() => {
      this.#syncing = undefined;
      this.#groupOver(group);
    });
  }

  #nextGroup(): readonly Call[] {
    const [first] = this.#waiting;
    if (first?.alone !== undefined) return [first];
    const next = this.#waiting.slice(0, CALLS_PER_GROUP);
    const end = next.findIndex((call) => call.alone !== undefined);
    return end < 0 ? next : next.slice(0, end);
  }

  #groupOver(group: readonly Call[]): void {
    if (this.#state === "dead") return;
    this.#waiting = this.#waiting.slice(group.length);
    if (this.#waiting.length > 0) this.#options.defer(this.#commitDeferred);
  }

  /** Runs calls and answers them all: at once, unless a promise says when. */
  #answer(group: readonly Call[]): Promise<void> | undefined {
    let syncing: Promise<void> | undefined;
    try {
      syncing = this.#run(group);
    } catch (thrown) {
      if (group.length === 1) return this.#failed(group, asError(thrown));
      // One of them failed, or the commit: nothing was kept, so each can be tried by itself.
      return this.#answerEach(group);
    }
    if (syncing === undefined) return this.#succeeded(group);
    return syncing.then(
      () => this.#succeeded(group),
      (thrown) => this.#failed(group, asError(thrown)),
    );
  }

  /** One after the other: none sees what a power cut could still undo. */
  #answerEach(group: readonly Call[]): Promise<void> | undefined {
    for (const [index, call] of group.entries()) {
      if (this.#state === "dead") return undefined;
      const syncing = this.#answer([call]);
      if (syncing !== undefined) {
        return syncing.then(() => this.#answerEach(group.slice(index + 1)));
      }
    }
    return undefined;
  }

  #run(group: readonly Call[]): Promise<void> | undefined {
    const run = () => group.forEach((call) => call.run());
    if (group.every(({ kind }) => kind === "read")) return void run();
    const isSynced = group.some(({ kind }) => kind === "synced");
    return this.#store.transaction(run, isSynced ? "synced" : "written");
  }

  #succeeded(group: readonly Call[]): undefined {
    if (this.#state === "dead") return;
    if (group.some(({ kind }) => kind !== "read")) this.#noteSuccess();
    for (const call of group) call.succeed();
  }

  #failed(group: readonly Call[], error: Error): undefined {
    if (this.#state === "dead") return;
    if (group.some(({ kind }) => kind !== "read")) this.#noteFailure(error);
    for (const call of group) call.fail(error);
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
    if (code === "journal_unsynced") this.#losing.abort(error);
  }
}

function closedError(): JournalError {
  return new JournalError("journal_closed", "Cannot use the journal: it is closed");
}
