/**
 * The one way in which a session makes something durable: journal first, then what follows from it
 * in memory, in the session's file and at the outboxes.
 * @module
 */

import type { ChatMessage } from "../../providers/provider.ts";
import type { HistoryLine, Outbound, Step } from "../journal/journal.ts";
import type { Conversation } from "./conversation.ts";
import type { SessionServices } from "./ports.ts";
import { encodeMessageLine } from "./session_file.ts";
import { lineIdOf, type SessionStore } from "./session_store.ts";

/** A message that a step adds to the history. */
export interface LineDraft {
  readonly turnId: string;
  readonly line: number;
  readonly inboundSeq: number | null;
  readonly message: ChatMessage;
}

/** What a log writes to. */
export interface SessionLogOptions {
  readonly services: Pick<SessionServices, "journal" | "clock" | "outbox">;
  readonly store: SessionStore;
  readonly conversation: Conversation;
}

/** Commits the steps of one session. */
export class SessionLog {
  readonly conversation: Conversation;
  readonly #services: SessionLogOptions["services"];
  readonly #store: SessionStore;

  constructor({ services, store, conversation }: SessionLogOptions) {
    this.conversation = conversation;
    this.#services = services;
    this.#store = store;
  }

  get sessionKey(): string {
    return this.conversation.key;
  }

  /**
   * Commits a step with the history lines it adds. When it is durable the lines are in the
   * conversation, on their way to the file (which nobody waits for), and the outboxes know of the
   * rows it made.
   *
   * @throws {JournalError} when nothing of it was kept
   */
  async commit(
    step: Omit<Step, "lines">,
    drafts: readonly LineDraft[] = [],
  ): Promise<readonly Outbound[]> {
    const timestampMs = this.#services.clock.now();
    const lines = drafts.map((draft) => this.#line(draft, timestampMs));
    const rows = await this.#services.journal.commit({ ...step, lines });
    for (const draft of drafts) {
      const { message } = draft;
      this.conversation.append({ message, timestampMs, lineId: lineIdOf(draft), extras: {} });
    }
    if (lines.length > 0) void this.#store.file(this.conversation, lines);
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
   * Begins the conversation anew.
   *
   * @throws {SessionFileError} {JournalError}
   */
  async clear(): Promise<void> {
    await this.#store.clear(this.conversation);
  }

  #line(draft: LineDraft, timestampMs: number): HistoryLine {
    const { turnId, line, inboundSeq, message } = draft;
    const text = encodeMessageLine(message, { timestampMs, lineId: lineIdOf(draft) });
    return { sessionKey: this.sessionKey, turnId, line, inboundSeq, text };
  }
}
