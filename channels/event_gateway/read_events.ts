/**
 * How far the events of one session were read: those that are being handed in may have to come again.
 * @module
 */

import type { Resumption } from "./session.ts";

/** The events of one session after the other. */
export class ReadEvents {
  /** Null when there is no session to resume. */
  #sessionId: string | null = null;
  /** Another one for each session that begins, also under the same id. */
  #session = {};
  #newest = 0;
  /** Events that are being handed in. */
  readonly #open = new Set<number>();

  /** @param resumption where an earlier run stopped; null without one */
  constructor(resumption: Resumption | null) {
    if (resumption === null) return;
    this.#sessionId = resumption.sessionId;
    this.#newest = resumption.sequence;
  }

  /** What can be resumed; null when a session must begin. */
  get resumption(): Resumption | null {
    if (this.#sessionId === null) return null;
    return { sessionId: this.#sessionId, sequence: this.sequence };
  }

  /** The last event that need not come again, nor any before it. */
  get sequence(): number {
    return this.#open.size === 0 ? this.#newest : Math.min(...this.#open) - 1;
  }

  /** A session began. */
  begin(sessionId: string, sequence: number): void {
    this.#sessionId = sessionId;
    this.#session = {};
    this.#open.clear();
    this.#newest = sequence;
  }

  /** There is no session to resume. */
  endSession(): void {
    this.#sessionId = null;
    this.#session = {};
    this.#open.clear();
    this.#newest = 0;
  }

  /** What is not taken yet comes again. */
  rewind(): void {
    this.#newest = this.sequence;
    this.#open.clear();
  }

  /** An event came. @returns what says that it need not come again */
  open(sequence: number): () => void {
    const session = this.#session;
    this.#newest = Math.max(this.#newest, sequence);
    this.#open.add(sequence);
    return () => {
      // Another session counts anew.
      if (session === this.#session) this.#open.delete(sequence);
    };
  }
}
