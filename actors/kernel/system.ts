/**
 * An actor system: what all its actors share, and the way to end them all.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { ActorDefinition, StopOptions, StopReason } from "./actor.ts";
import { Cell, stopRef, watchRef } from "./cell.ts";
import type { ActorGlance, CellParent } from "./cell_extras.ts";
import type { CellHome } from "./cell_home.ts";
import type { Clock } from "./clock.ts";
import { asError } from "./errors.ts";
import type { DeadLetter, DeadLetterReason, KernelEvent } from "./events.ts";
import { invariant } from "./invariant.ts";
import type { NewId, Random } from "./random.ts";
import type { ActorRef } from "./ref.ts";
import type { Scheduler } from "./scheduler.ts";

const logger = getLogger(["troupe", "kernel", "system"]);

/** What a system takes from outside. */
export interface ActorSystemOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  readonly scheduler: Scheduler;
  /** Told of each message that no actor handled. */
  readonly onDeadLetter?: (letter: DeadLetter) => void;
  /** Told what happens to actors. */
  readonly onEvent?: (event: KernelEvent) => void;
}

/** The root of a tree of actors. */
export class ActorSystem implements CellHome, AsyncDisposable {
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  readonly scheduler: Scheduler;
  readonly #onDeadLetter: ((letter: DeadLetter) => void) | undefined;
  readonly #onEvent: ((event: KernelEvent) => void) | undefined;
  /** Above the top there is nobody to act on a failure. */
  readonly #root: CellParent = { name: "", children: new Map(), fail: () => {} };
  #deadLetters = 0;
  #isStopping = false;

  constructor(options: ActorSystemOptions) {
    this.clock = options.clock;
    this.random = options.random;
    this.newId = options.newId;
    this.scheduler = options.scheduler;
    this.#onDeadLetter = options.onDeadLetter;
    this.#onEvent = options.onEvent;
  }

  /** Messages that no actor handled, since the start. */
  get deadLetters(): number {
    return this.#deadLetters;
  }

  /** All actors as they are now, each before those below it. Made while it is read. */
  *glances(): Generator<ActorGlance> {
    for (const cell of this.#root.children.values()) yield* cell.glances();
  }

  /** Starts an actor at the top of the tree. */
  spawn<M>(definition: ActorDefinition<M>): ActorRef<M> {
    invariant(!this.#isStopping, "the system runs when it starts an actor");
    return Cell.spawn(this, this.#root, definition);
  }

  /** Stops one actor of the top and waits for its end. */
  stop(ref: ActorRef<never>, options: StopOptions = {}): Promise<void> {
    return stopRef(ref, options);
  }

  /**
   * Calls `onStop` once, when the actor has stopped for good (soon, if it already has); for code
   * that is no actor itself.
   *
   * @returns takes the watch back
   */
  watch(ref: ActorRef<never>, onStop: (reason: StopReason) => void): () => void {
    return watchRef(ref, onStop);
  }

  /** Stops all actors, newest first, and waits for their ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    for (const cell of [...this.#root.children.values()].reverse()) await cell.stop({});
  }

  /** Counts and reports a message that was not handled. */
  deadLetter(actor: string, reason: DeadLetterReason, message: unknown, error?: Error): void {
    this.#deadLetters++;
    observe(this.#onDeadLetter, { actor, reason, message, ...(error && { error }) });
    observe(this.#onEvent, { type: "dead_letter", actor, reason });
  }

  /** Reports what happened to an actor. */
  emit(event: KernelEvent): void {
    observe(this.#onEvent, event);
  }
}

/** Tells an observer, whose failure is no failure of the actor it is told about. */
function observe<T>(observer: ((value: T) => void) | undefined, value: T): void {
  try {
    observer?.(value);
  } catch (thrown) {
    logger.error("Went on although an observer failed: {message}", {
      message: asError(thrown).message,
    });
  }
}
