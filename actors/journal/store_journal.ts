/**
 * The journal over any storage: one set of rules, whatever keeps the rows.
 * @module
 */

import type { Clock } from "../kernel/clock.ts";
import { invariant } from "../kernel/invariant.ts";
import type { JsonValue } from "../kernel/json.ts";
import { GroupCommit } from "./group_commit.ts";
import type {
  Accepted,
  HistoryLine,
  Inbound,
  InboundCompletion,
  Journal,
  JournalCounts,
  NewInbound,
  Outbound,
  Step,
  TurnRecord,
} from "./journal.ts";
import { acceptInbound, applyStep, completeInbound, withdrawInbound } from "./step.ts";
import type { JournalStore } from "./store.ts";

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
  #hasEnded = false;

  constructor(store: JournalStore, { clock, defer }: JournalOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#calls = new GroupCommit(store, defer);
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
    return this.#calls.write(() => withdrawInbound(this.#store, seq));
  }

  commit(step: Step): Promise<readonly Outbound[]> {
    const nowMs = this.#clock.now();
    return this.#calls.write(() => applyStep(this.#store, step, nowMs));
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
      const turn = this.#store.turnOfSession(sessionKey);
      if (turn === undefined) return null;
      return { turn, inbounds: this.#store.runningInbounds(sessionKey, turn.turnId) };
    });
  }

  /** Sessions with an open turn count as unfinished, even when nothing runs or waits in them. */
  unfinishedSessions(): Promise<readonly string[]> {
    return this.#calls.read(() =>
      [...this.#store.unfinishedSessions()].sort(byAge).map(([sessionKey]) => sessionKey)
    );
  }

  unfiledLines(sessionKey: string): Promise<readonly HistoryLine[]> {
    return this.#calls.read(() => this.#store.lines(sessionKey));
  }

  /** Needs no sync: lines that come back after a power cut are found in the file again. */
  dropLines(lines: readonly Pick<HistoryLine, "turnId" | "line">[]): Promise<void> {
    return this.#calls.writeUnsynced(() => {
      for (const { turnId, line } of lines) this.#store.deleteLine(turnId, line);
    });
  }

  outbox(channel: string, afterId: number, limit: number): Promise<readonly Outbound[]> {
    return this.#calls.read(() => {
      checkWindow(afterId, limit);
      return this.#store.unsentOutbounds(channel, afterId, limit);
    });
  }

  outbound(key: string): Promise<Outbound | null> {
    return this.#calls.read(() => this.#store.outbound(key) ?? null);
  }

  inboundMemory(channel: string, platformId: string): Promise<JsonValue> {
    return this.#calls.read(() => this.#store.inboundMemory(channel, platformId));
  }

  counts(): Promise<JournalCounts> {
    return this.#calls.read(() => this.#store.counts());
  }

  /** Commits what waits and closes the storage; later calls fail with `journal_closed`. */
  [Symbol.asyncDispose](): Promise<void> {
    if (!this.#hasEnded) {
      this.#hasEnded = true;
      this.#calls.close();
      this.#store.close();
    }
    return Promise.resolve();
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

/** Oldest inbound first; sessions that only have lines to file before all; then by key. */
function byAge([keyA, oldestA]: [string, number], [keyB, oldestB]: [string, number]): number {
  return oldestA - oldestB || (keyA < keyB ? -1 : 1);
}
