/**
 * The idle time of a session: its router hears of it when it begins, and again and again while it
 * lasts, so that the session can be let sleep.
 * @module
 */

import type { Timer } from "../kernel/clock.ts";
import type { NewId } from "../kernel/random.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { SessionEvent } from "./ports.ts";

/** What idle time is told with. */
export interface IdlenessOptions {
  readonly sessionKey: string;
  readonly router: ActorRef<SessionEvent>;
  readonly newId: NewId;
  /** Starts the timer at whose end `elapsed` is called. */
  readonly startTimer: () => Timer;
}

/** Of one session; whoever owns it knows when it is idle. */
export class Idleness {
  readonly #options: IdlenessOptions;
  #timer: Timer | undefined;
  /** The idle time that the router was told of, until something comes. */
  #idleId: string | undefined;

  constructor(options: IdlenessOptions) {
    this.#options = options;
  }

  /** Something came: what the router was told of is over. */
  stir(): void {
    this.#idleId = undefined;
  }

  /** There is nothing to do. */
  begin({ isTold }: { readonly isTold: boolean }): void {
    this.#timer ??= this.#options.startTimer();
    if (isTold && this.#idleId === undefined) this.#tell("session_resting");
  }

  /** There was nothing to do for long. */
  elapsed({ isTold }: { readonly isTold: boolean }): void {
    this.end();
    if (isTold) this.#tell("session_idle");
  }

  /** There is something to do. */
  end(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** The router's word may have crossed with news: what came since that idle time is not left. */
  isStill(idleId: string): boolean {
    return this.#idleId === idleId;
  }

  #tell(type: SessionEvent["type"]): void {
    const { sessionKey, router, newId } = this.#options;
    const idleId = this.#idleId ??= newId();
    router.tell({ type, sessionKey, idleId });
  }
}
