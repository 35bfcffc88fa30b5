/**
 * Who asked for a permit when, and who got one: first come, first served.
 * @module
 */

import type { ActorRef } from "../../actors/kernel/ref.ts";
import type { GateMessage } from "../../actors/session/ports.ts";
import type { SessionActorMessage } from "../../actors/session/session_protocol.ts";

/** Watches the gate of one life of the gateway; breaches are kept as sentences. */
export class PermitWatch {
  readonly breaches: string[] = [];
  /** Requests that wait, oldest first, with the names of their holders. */
  readonly #waiting = new Map<string, string>();

  /** The gate, as the sessions see it. */
  seenBySessions(gate: ActorRef<GateMessage>): ActorRef<GateMessage> {
    return {
      name: gate.name,
      ask: (makeMessage, options) => gate.ask(makeMessage, options),
      tell: (message) => {
        if (message.type === "release_permit") this.#waiting.delete(message.requestId);
        else this.#waiting.set(message.requestId, message.holder.name);
        return gate.tell(message);
      },
    };
  }

  /** Looks at what a session is told from now on. */
  watch(session: ActorRef<SessionActorMessage>): void {
    const tell = session.tell.bind(session);
    session.tell = (message) => {
      if (message.type === "permit_granted") this.#granted(message.requestId);
      return tell(message);
    };
  }

  /** An actor is gone, and its requests with it. */
  actorStopped(name: string): void {
    for (const [requestId, holder] of this.#waiting) {
      if (holder === name) this.#waiting.delete(requestId);
    }
  }

  #granted(requestId: string): void {
    if (!this.#waiting.has(requestId)) return;
    const [first] = this.#waiting.keys();
    if (first !== requestId) this.breaches.push(`${requestId} overtook ${first} at the gate`);
    this.#waiting.delete(requestId);
  }
}
