/**
 * Who asked for a permit when, and who got one: first come, first served.
 * @module
 */

import type { Clock } from "../../actors/kernel/clock.ts";
import type { ActorRef } from "../../actors/kernel/ref.ts";
import type { GateMessage, PermitNews } from "../../actors/session/ports.ts";

/** A permit that is free goes to the next one within this time, however slow the actors are. */
const GRANT_MS_MAX = 1_000;

/** Watches the gate of one life of the gateway; breaches are kept as sentences. */
export class PermitWatch {
  readonly breaches: string[] = [];
  readonly #clock: Clock;
  /** Requests that wait, oldest first, with the names of their holders. */
  readonly #waiting = new Map<string, string>();
  /** When something last changed that may let the first one of them in. */
  #changedAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#changedAtMs = clock.now();
  }

  /** The gate, as those see it who ask for permits. */
  seenByHolders(gate: ActorRef<GateMessage>): ActorRef<GateMessage> {
    return {
      name: gate.name,
      ask: (makeMessage, options) => gate.ask(makeMessage, options),
      tell: (message) => {
        if (message.type !== "request_permit") this.#release(message.requestId);
        // Work in the background may have to let others pass.
        else if (message.isBackground !== true) this.#request(message.requestId, message.holder);
        return gate.tell(message);
      },
    };
  }

  /** Looks at what a session, or the memory, is told from now on. */
  watch<M extends { readonly type: string }>(holder: ActorRef<M | PermitNews>): void {
    const tell = holder.tell.bind(holder);
    holder.tell = (message) => {
      if (isGrant(message)) this.#granted(message.requestId);
      return tell(message);
    };
  }

  /** An actor is gone, and its requests with it. */
  actorStopped(name: string): void {
    this.#changedAtMs = this.#clock.now();
    for (const [requestId, holder] of this.#waiting) {
      if (holder === name) this.#waiting.delete(requestId);
    }
  }

  #request(requestId: string, holder: ActorRef<never>): void {
    if (this.#waiting.size === 0) this.#changedAtMs = this.#clock.now();
    this.#waiting.set(requestId, holder.name);
  }

  #release(requestId: string): void {
    this.#changedAtMs = this.#clock.now();
    this.#waiting.delete(requestId);
  }

  #granted(requestId: string): void {
    if (!this.#waiting.has(requestId)) return;
    const [first] = this.#waiting.keys();
    if (first !== requestId) this.breaches.push(`${requestId} overtook ${first} at the gate`);
    const waitedMs = this.#clock.now() - this.#changedAtMs;
    if (waitedMs > GRANT_MS_MAX) this.breaches.push(`${requestId} got a free permit late`);
    this.#changedAtMs = this.#clock.now();
    this.#waiting.delete(requestId);
  }
}

type Grant = Extract<PermitNews, { readonly type: "permit_granted" }>;

function isGrant(message: { readonly type: string }): message is Grant {
  return message.type === "permit_granted";
}
