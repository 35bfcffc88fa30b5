/**
 * The permit of the turn that runs. It is given back while the turn waits for a person, and asked
 * for again at the end of the queue.
 * @module
 */

import { untilAborted } from "../kernel/aborting.ts";
import type { NewId } from "../kernel/random.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { PermitLease } from "./approval_desk.ts";
import type { GateMessage } from "./ports.ts";

/** What a permit is had from. */
export interface TurnPermitOptions {
  readonly gate: ActorRef<GateMessage>;
  /** Who is told of grants, and hands them on to `take`. */
  readonly holder: Extract<GateMessage, { readonly type: "request_permit" }>["holder"];
  readonly newId: NewId;
  /** As the gate understands it. @default false */
  readonly isBackground?: boolean;
}

/** Held by one turn at a time. */
export class TurnPermit implements PermitLease {
  readonly #options: TurnPermitOptions;
  /** Of the permit that is held, or asked for again. */
  #requestId: string | undefined;
  #granted: (() => void) | undefined;

  constructor(options: TurnPermitOptions) {
    this.#options = options;
  }

  /** A turn begins, with a permit that was granted under this id. */
  begin(requestId: string): void {
    this.#requestId = requestId;
  }

  /** The turn is over. */
  end(): void {
    this.giveBack();
    this.#granted = undefined;
  }

  giveBack(): void {
    if (this.#requestId === undefined) return;
    this.#options.gate.tell({ type: "release_permit", requestId: this.#requestId });
    this.#requestId = undefined;
  }

  async regain(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { gate, holder, newId, isBackground } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    const requestId = newId();
    this.#requestId = requestId;
    this.#granted = resolve;
    gate.tell({ type: "request_permit", requestId, holder, isBackground });
    await untilAborted(promise, signal);
  }

  /** Asks for it again where it was given back. Rejects as {@linkcode regain} does. */
  async ensure(signal: AbortSignal): Promise<void> {
    if (this.#requestId === undefined) await this.regain(signal);
  }

  /** It waits for a permit under this id. */
  asks(requestId: string): boolean {
    return this.#requestId === requestId && this.#granted !== undefined;
  }

  /** Takes a grant; false when it is not for the turn. */
  take(requestId: string): boolean {
    if (this.#requestId !== requestId || this.#granted === undefined) return false;
    this.#granted();
    this.#granted = undefined;
    return true;
  }
}
