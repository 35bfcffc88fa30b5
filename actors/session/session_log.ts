/**
 * The one way in which a session makes something durable: journal first, then what follows from it
 * in memory, in the session's file and at the outboxes.
 * @module
 */

import type { ChatMessage } from "../../providers/provider.ts";
import type { Durability, HistoryLine, Outbound, Step } from "../journal/journal.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Conversation } from "./conversation.ts";
import type { SessionServices } from "./ports.ts";
import { LifeRecord, type RecordRow } from "./record/life_record.ts";
import { encodeMessageLine } from "./session_file.ts";
import { lineIdOf, type SessionStore } from "./session_store.ts";
import { untilWritten } from "./until_written.ts";

/** A message that a step adds to the history. */
export interface LineDraft {
  readonly turnId: string;
  readonly line: number;
  readonly inboundSeq: number | null;
  readonly message: ChatMessage;
  /** When it was said, in epoch milliseconds. @default when it is committed */
  readonly atMs?: number;
  /** Further fields of its line. */
  readonly extras?: JsonObject;
}

/** A step without its lines, and with what it took in. */
export interface LogStep extends Omit<Step, "lines" | "records"> {
  readonly recorded?: readonly RecordRow[];
}

/** What a log writes to. */
export interface SessionLogOptions {
  readonly services: Pick<SessionServices, "journal" | "clock" | "outbox">;
  readonly store: SessionStore;
  readonly conversation: Conversation;
  /** Ends the tries of steps that the journal cannot take. */
  readonly signal: AbortSignal;
}

/** Commits the steps of one session. */
export class SessionLog {
  readonly conversation: Conversation;
  /** What the session has recorded since it woke. */
  readonly life: LifeRecord = new LifeRecord();
  readonly #services: SessionLogOptions["services"];
  readonly #store: SessionStore;
  readonly #signal: AbortSignal;
  /** Settles when the steps that were handed in so far are durable, or given up. */
  #last: Promise<unknown> = Promise.resolve();
  /** Lines that a power cut may undo: they are filed once a later step is synced. */
  #unsynced: HistoryLine[] = [];

  constructor({ services, store, conversation, signal }: SessionLogOptions) {
    this.conversation = conversation;
    this.#services = services;
    this.#store = store;
    this.#signal = signal;
  }

  /** Epoch milliseconds. */
  get nowMs(): number {
    return this.#services.clock.now();
  }

  get sessionKey(): string {
    return this.conversation.key;
  }

  /**
   * Commits a step with the history lines it adds. When it is durable the lines are in the
   * conversation, on their way to the file (which nobody waits for), and the outboxes know of the
   * rows it made. A step that the journal cannot take (a full disk) is tried until it does, and
   * later steps wait behind it.
   *
   * @param durability `written` where nothing outside happens before a later step is synced
   * @throws {JournalError} when nothing of it was kept: the session ends, or the journal has
   */
  async commit(
    { recorded = [], ...step }: LogStep,
    drafts: readonly LineDraft[] = [],
    durability: Durability = "synced",
  ): Promise<readonly Outbound[]> {
    const timestampMs = this.#services.clock.now();
    const lines = drafts.map((draft) => this.#line(draft, timestampMs));
    const { sessionKey } = this;
    const records = recorded.map((row) => ({ sessionKey, atMs: timestampMs, ...row }));
    const whole = { ...step, lines, ...(records.length > 0 && { records }) };
    const rows = await this.#inTurn(() => this.#persist(whole, durability));
    for (const draft of drafts) {
      const { message, extras = {}, atMs = timestampMs } = draft;
      this.conversation.append({ message, timestampMs: atMs, lineId: lineIdOf(draft), extras });
    }
    this.#file(lines, durability);
    for (const row of rows) {
      this.#services.outbox(row.channel)?.tell({ type: "row_committed", row });
    }
    return rows;
  }

  /** Waits until all lines were filed, or at least tried. */
  async filed(): Promise<void> {
    await this.#store.file(this.conversation, []);
  }

  /**
   * Begins the conversation anew, which an earlier step made durable by a clearing note.
   *
   * @throws {SessionFileError} {JournalError}
   */
  async clear(): Promise<void> {
    await this.#store.clear(this.conversation);
    this.#unsynced = [];
  }

  /** Changes the free-form data of the conversation. @throws {SessionFileError} */
  async changeMetadata(change: (metadata: JsonObject) => JsonObject): Promise<void> {
    await this.#store.changeMetadata(this.conversation, change);
  }

  /**
   * Begins the replay at message `to`; `change` gives the free-form data that goes with it.
   *
   * @throws {SessionFileError}
   */
  async consolidate(to: number, change: (metadata: JsonObject) => JsonObject): Promise<void> {
    await this.#store.consolidate(this.conversation, to, change);
  }

  /** Takes what was summed up out of the file. @throws {SessionFileError} */
  async dropConsolidated(): Promise<void> {
    await this.#store.dropConsolidated(this.conversation);
  }

  /** The file is synced by itself: it must not know of more than the journal will. */
  #file(lines: readonly HistoryLine[], durability: Durability): void {
    if (durability === "written") {
      this.#unsynced.push(...lines);
      return;
    }
    const synced = [...this.#unsynced, ...lines];
    this.#unsynced = [];
    if (synced.length > 0) void this.#store.file(this.conversation, synced);
  }

  /** Lines follow each other without a gap, so no step may overtake one that is tried again. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  #persist(step: Step, durability: Durability): Promise<readonly Outbound[]> {
    const { journal, clock } = this.#services;
    const options = { clock, signal: this.#signal, sessionKey: this.sessionKey };
    return untilWritten(() => journal.commit(step, durability), options);
  }

  #line(draft: LineDraft, timestampMs: number): HistoryLine {
    const { turnId, line, inboundSeq, message, extras = {}, atMs = timestampMs } = draft;
    const fields = { timestampMs: atMs, lineId: lineIdOf(draft), extras };
    const text = encodeMessageLine(message, fields);
    return { sessionKey: this.sessionKey, turnId, line, inboundSeq, text };
  }
}
