/**
 * How far the look at the unfinished sessions is.
 * @module
 */

import { FIRST_SESSIONS, type SessionsCursor } from "../journal/journal.ts";

/** Goes through them page by page, and back to those that were passed by. */
export class UnfinishedLook {
  /** Where it goes on; null when all were seen. */
  #cursor: SessionsCursor | null;
  #isReading = false;
  /** The oldest message of a session that was left asleep while a read was under way. */
  #passedBySeq = Infinity;
  /** Somebody asked for a look from the beginning while a read was under way. */
  #mustStartOver = false;

  /** @param isDue whether there is something to see at first */
  constructor(isDue: boolean) {
    this.#cursor = isDue ? FIRST_SESSIONS : null;
  }

  /** All were seen. */
  get isOver(): boolean {
    return this.#cursor === null;
  }

  /** The session of this message is left asleep: it must be found later. */
  passBy(seq: number): void {
    if (this.#isReading) this.#passedBySeq = Math.min(this.#passedBySeq, seq);
    else this.#cursor = earlier(this.#cursor, { part: "inbounds", afterSeq: seq - 1 });
  }

  /** From the beginning, as all may have changed. */
  startOver(): void {
    if (this.#isReading) this.#mustStartOver = true;
    else this.#cursor = FIRST_SESSIONS;
  }

  /** Begins to read; null while that goes on, and where nothing is left. */
  begin(): SessionsCursor | null {
    if (this.#isReading || this.#cursor === null) return null;
    this.#isReading = true;
    return this.#cursor;
  }

  /** The read failed. */
  failed(): void {
    this.#isReading = false;
  }

  /** The read is over, and may have been too early for what came meanwhile. */
  ended(next: SessionsCursor | null): void {
    this.#isReading = false;
    const seq = this.#passedBySeq;
    const passedBy = seq === Infinity ? null : { part: "inbounds", afterSeq: seq - 1 } as const;
    this.#cursor = this.#mustStartOver ? FIRST_SESSIONS : earlier(next, passedBy);
    this.#mustStartOver = false;
    this.#passedBySeq = Infinity;
  }
}

/** The one that misses nothing of the other: a draft that is complete may be older than what was read. */
function earlier(a: SessionsCursor | null, b: SessionsCursor | null): SessionsCursor | null {
  if (a === null || b === null) return a ?? b;
  if (a.part === "kept") return a; // all inbounds are read after it
  return b.part === "inbounds" && a.afterSeq <= b.afterSeq ? a : b;
}
