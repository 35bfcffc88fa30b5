/**
 * The journal over any storage: one set of rules, whatever keeps the rows.
 * @module
 */

import type { Clock } from "../kernel/clock.ts";
import { invariant } from "../kernel/invariant.ts";
import type { JsonValue } from "../kernel/json.ts";
import { dropRow, retryRow } from "./acts.ts";
import { GroupCommit } from "./group_commit.ts";
import type {
  ActedRow,
  Journal,
  JournalCounts,
  JournalTrouble,
  OutboxWindow,
  PastTrouble,
  PruneOptions,
  RowRef,
  SessionsCursor,
  SessionsPage,
  StuckRows,
} from "./journal.ts";
import type {
  Accepted,
  Durability,
  HistoryLine,
  Inbound,
  InboundCompletion,
  KeptRecord,
  LineKey,
  NewInbound,
  Outbound,
  Step,
  TurnRecord,
} from "./journal_rows.ts";
import { inTurnOrder } from "./rules.ts";
import { pageOfSessions } from "./session_pages.ts";
import { acceptInbound, applyStep, completeInbound, withdrawInbound } from "./step.ts";
import type { JournalStore } from "./store.ts";
import type { UsageQuery, UsageRow } from "./usage.ts";

/** What a journal takes from outside, whatever its storage. */
export interface JournalOptions {
  /** Dates the rows. */
  readonly clock: Clock;
  /** Calls back at the event loop's next turn; what gathers until then is one commit. */
  readonly defer: (callback: () => void) => void;
}

/** A {@link Journal} that keeps its rows in a {@link JournalStore}. */
export class StoreJournal implements Journal {
  readonly #store: JournalStore;
  readonly #clock: Clock;
  readonly #calls: GroupCommit;
  /** The last release left some. */
  #hasFreeRoom = false;
  #hasEnded = false;

  constructor(store: JournalStore, { clock, defer }: JournalOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#calls = new GroupCommit(store, { defer, now: () => clock.now() });
  }

  get trouble(): JournalTrouble | null {
    return this.#calls.trouble;
  }

  get pastTrouble(): PastTrouble | null {
    return this.#calls.pastTrouble;
  }

  get lost(): AbortSignal {
    return this.#calls.lost;
  }

  accept(inbound: NewInbound): Promise<Accepted> {
    const nowMs = this.#clock.now();
    return this.#calls.write(() => acceptInbound(this.#store, inbound, nowMs));
  }

  complete(completion: InboundCompletion): Promise<Inbound | null> {
    return this.#calls.write(() => completeInbound(this.#store, completion));
  }

  drafts(channel: string, afterSeq: number, limit: number): Promise<readonly Inbound[]> {
    return this.#calls.read(() => {
      checkWindow(afterSeq, limit);
      return this.#store.waitingDrafts(channel, afterSeq, limit);
    });
  }

  inbound(channel: string, platformId: string): Promise<Inbound | null> {
    return this.#calls.read(() => this.#store.inbound(channel, platformId) ?? null);
  }

  withdraw(seq: number): Promise<boolean> {
    const nowMs = this.#clock.now();
    return this.#calls.write(() => withdrawInbound(this.#store, seq, nowMs));
  }

  commit(step: Step, durability: Durability = "synced"): Promise<readonly Outbound[]> {
    const nowMs = this.#clock.now();
    return this.#calls.write(() => applyStep(this.#store, step, nowMs), durability);
  }

  sync(): Promise<void> {
    return this.#calls.write(() => {});
  }

  waiting(sessionKey: string, afterSeq: number, limit: number): Promise<readonly Inbound[]> {
    return this.#calls.read(() => {
      checkWindow(afterSeq, limit);
      return this.#store.waitingInbounds(sessionKey, afterSeq, limit);
    });
  }

  interrupted(
    sessionKey: string,
  ): Promise<{ readonly turn: TurnRecord; readonly inbounds: readonly Inbound[] } | null> {
    return this.#calls.read(() => {
      const turn = this.#store.turn(sessionKey);
      if (turn === undefined) return null;
      const inbounds = this.#store.runningInbounds(sessionKey, turn.turnId);
      return { turn, inbounds: inTurnOrder(inbounds) };
    });
  }

  unfinishedSessions(after: SessionsCursor, limit: number): Promise<SessionsPage> {
    return this.#calls.read(() => {
      invariant(Number.isSafeInteger(limit) && limit > 0, "a page has room for a session");
      return pageOfSessions(this.#store, after, limit);
    });
  }

  unfiledLines(sessionKey: string): Promise<readonly HistoryLine[]> {
    return this.#calls.read(() => this.#store.lines(sessionKey));
  }

  /** Needs no sync: lines that come back after a power cut are found in the file again. */
  dropLines(lines: readonly LineKey[]): Promise<void> {
    return this.#calls.write(() => {
      for (const line of lines) this.#store.deleteLine(line);
    }, "written");
  }

  outbox(window: OutboxWindow): Promise<readonly Outbound[]> {
    return this.#calls.read(() => {
      checkWindow(window.afterId, window.limit);
      return this.#store.unsentOutbounds(window);
    });
  }

  outbound(key: string): Promise<Outbound | null> {
    return this.#calls.read(() => this.#store.outbound(key) ?? null);
  }

  inboundMemory(channel: string, platformId: string): Promise<JsonValue> {
    return this.#calls.read(() => this.#store.inboundMemory(channel, platformId));
  }

  note(key: string): Promise<JsonValue> {
    return this.#calls.read(() => this.#store.note(key));
  }

  noteKeys(prefix: `${string}:`): Promise<readonly string[]> {
    return this.#calls.read(() => this.#store.noteKeys(prefix));
  }

  usage(query: UsageQuery): Promise<readonly UsageRow[]> {
    return this.#calls.read(() => this.#store.usage(query));
  }

  records(
    sessionKey: string,
    afterPlace: number,
    limit: number,
  ): Promise<readonly KeptRecord[]> {
    return this.#calls.read(() => {
      checkWindow(afterPlace, limit);
      return this.#store.records(sessionKey, afterPlace, limit);
    });
  }

  stuck(limit: number): Promise<StuckRows> {
    return this.#calls.read(() => ({
      inbounds: this.#store.stuckInbounds(limit),
      outbounds: this.#store.stuckOutbounds(limit),
    }));
  }

  retry(row: RowRef): Promise<ActedRow | null> {
    const nowMs = this.#clock.now();
    return this.#calls.write(() => retryRow(this.#store, row, nowMs));
  }

  drop(row: RowRef): Promise<ActedRow | null> {
    const nowMs = this.#clock.now();
    return this.#calls.write(() => dropRow(this.#store, row, nowMs));
  }

  /**
   * Unsynced: what a power cut brings back is pruned again. Free room is given back before there is
   * more of it: for each page that goes, the storage looks through all that are free.
   */
  async prune(options: PruneOptions): Promise<boolean> {
    const hasMoreRows = this.#hasFreeRoom ||
      await this.#calls.write(() => this.#store.prune(options), "written");
    // Not inside a transaction, which would undo it.
    this.#hasFreeRoom = await this.#calls.read(() => this.#store.release());
    return this.#hasFreeRoom || hasMoreRows;
  }

  counts(): Promise<JournalCounts> {
    return this.#calls.read(() => this.#store.counts());
  }

  /** Commits what waits and closes the storage; later calls fail with `journal_closed`. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    await this.#calls.close();
    this.#store.close();
  }

  /** Runs work while nothing is written. @throws {JournalError} when the journal is closed */
  protected alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#calls.alone(work);
  }

  /** Ends as a dying process does: what was not committed is lost, and no caller hears of it. */
  protected die(): void {
    this.#hasEnded = true;
    this.#calls.die();
  }
}

function checkWindow(after: number, limit: number): void {
  invariant(Number.isSafeInteger(after), "a window starts after an integer");
  invariant(Number.isSafeInteger(limit) && limit >= 0, "a window's limit is an integer");
}
