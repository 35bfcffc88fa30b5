/**
 * The actor in front of a link: what it is told goes to the other side.
 * @module
 */

import type { Actor } from "./actor.ts";
import { asError } from "./errors.ts";
import type { Incarnation } from "./incarnation.ts";

/** What a sender needs of its link. */
export interface SendingLink<M> {
  readonly hasCredit: boolean;
  send(message: M): void;
}

/**
 * Sends while there is credit and leaves the rest in its mailbox, whose bound then pushes back on
 * the senders. A message that cannot be cloned goes to dead letters.
 */
export class LinkSender<M> implements Actor<M> {
  readonly #incarnation: Incarnation<M>;
  readonly #link: SendingLink<M>;

  constructor(incarnation: Incarnation<M>, link: SendingLink<M>) {
    this.#incarnation = incarnation;
    this.#link = link;
  }

  receive(message: M): void {
    try {
      this.#link.send(message);
    } catch (thrown) {
      this.#incarnation.deadLetter(message, asError(thrown));
    }
    if (!this.#link.hasCredit) this.#incarnation.hold();
  }
}
