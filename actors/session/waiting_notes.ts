/**
 * Tells channels which messages wait for their turn, so that people can see it. It is progress: no
 * message depends on it, and what gets lost is made up for when the message is answered.
 * @module
 */

import type { Inbound } from "../journal/journal.ts";
import type { SessionServices } from "./ports.ts";

/** Messages that are known to wait; of more than these nobody is told. */
const WAITING_MAX = 256;

/** A message that came, and whether its channel was told that it waits. */
interface Waiting {
  readonly inbound: Inbound;
  isTold: boolean;
}

/** The waiting messages of one session, as their channels know them. */
export class WaitingNotes {
  readonly #outbox: SessionServices["outbox"];
  readonly #waiting = new Map<number, Waiting>();
  /** Nothing that comes can begin at once. */
  #isHeld = false;

  constructor(outbox: SessionServices["outbox"]) {
    this.#outbox = outbox;
  }

  /** A message came that nobody works on yet. */
  came(inbound: Inbound): void {
    if (this.#waiting.size >= WAITING_MAX || this.#waiting.has(inbound.seq)) return;
    this.#waiting.set(inbound.seq, { inbound, isTold: false });
    if (this.#isHeld) this.hold();
  }

  /** What came, and what will come, has to wait. */
  hold(): void {
    this.#isHeld = true;
    for (const waiting of this.#waiting.values()) {
      if (waiting.isTold) continue;
      waiting.isTold = true;
      this.#tell(waiting.inbound, true);
    }
  }

  /** What comes may begin at once: a permit is asked for. */
  release(): void {
    this.#isHeld = false;
  }

  /** These are worked on now; all others have to wait. */
  began(inbounds: readonly Pick<Inbound, "seq">[]): void {
    for (const { seq } of inbounds) {
      const waiting = this.#waiting.get(seq);
      this.#waiting.delete(seq);
      if (waiting?.isTold === true) this.#tell(waiting.inbound, false);
    }
    this.hold();
  }

  /** These are over before they began: what ends them shows it. */
  forget(seqs: Iterable<number>): void {
    for (const seq of seqs) this.#waiting.delete(seq);
  }

  /** All that came before is over. */
  forgetBefore(seq: number): void {
    this.forget([...this.#waiting.keys()].filter((waiting) => waiting < seq));
  }

  #tell({ channel, platformId }: Inbound, isWaiting: boolean): void {
    this.#outbox(channel)?.tell({ type: "inbound_waits", platformId, isWaiting });
  }
}
