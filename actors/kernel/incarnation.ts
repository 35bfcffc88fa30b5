/**
 * One life of an actor, from its creation to its stop or restart: what belongs to it ends with it.
 * @module
 */

import type {
  ActorContext,
  ActorDefinition,
  Outcome,
  StopOptions,
  StopReason,
  Work,
} from "./actor.ts";
import type { CellHome } from "./cell_home.ts";
import type { Clock, Timer } from "./clock.ts";
import { asError, GatewayError } from "./errors.ts";
import type { KernelEvent } from "./events.ts";
import { invariant } from "./invariant.ts";
import type { NewId, Random } from "./random.ts";
import type { ActorRef } from "./ref.ts";

/** Why work was aborted: its actor's life is over. */
export class IncarnationEndedError extends GatewayError {
  override readonly name = "IncarnationEndedError";
  readonly code = "incarnation_ended";
  readonly recovery = "give_up";
}

/** The actor whose life an incarnation is. */
export interface IncarnationHost<M> extends ActorRef<M> {
  readonly home: CellHome;
  /** Takes a message from the actor's own timers, work and watches. */
  tellOwn(message: M, incarnation: Incarnation<M>): void;
  /** Goes on with the mailbox after a hold. */
  resume(): void;
  fail(error: Error): void;
  spawnChild<C>(definition: ActorDefinition<C>): ActorRef<C>;
  stop(options: StopOptions): Promise<void>;
  stopOther(ref: ActorRef<never>, options: StopOptions): Promise<void>;
  /** Calls `onStop` when `ref` has stopped; returns the way to take that back. */
  watchOther(ref: ActorRef<never>, onStop: (reason: StopReason) => void): () => void;
}

/** What work gets back that was asked for after the end. */
const NOTHING: Timer & Work = { cancel: () => {}, abort: () => {} };

/** The context of one incarnation; the kernel's own actors also use what `ActorContext` lacks. */
export class Incarnation<M> implements ActorContext<M> {
  readonly #cell: IncarnationHost<M>;
  /** What must be undone at the end; made at first use. */
  #endings: Set<() => void> | undefined;
  #controller: AbortController | undefined;
  hasEnded = false;
  /** While held, the actor takes nothing from its mailbox, which fills up to its bound. */
  isHeld = false;

  constructor(cell: IncarnationHost<M>) {
    this.#cell = cell;
  }

  get self(): ActorRef<M> {
    return this.#cell;
  }

  get clock(): Clock {
    return this.#cell.home.clock;
  }

  get random(): Random {
    return this.#cell.home.random;
  }

  get newId(): NewId {
    return this.#cell.home.newId;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.hasEnded) this.#controller.abort(this.#ended());
    }
    return this.#controller.signal;
  }

  spawn<C>(definition: ActorDefinition<C>): ActorRef<C> {
    invariant(!this.hasEnded, `"${this.#cell.name}" lives when it starts a child`);
    return this.#cell.spawnChild(definition);
  }

  stop(child: ActorRef<never>, options: StopOptions = {}): Promise<void> {
    return this.#cell.stopOther(child, options);
  }

  stopSelf(): void {
    if (!this.hasEnded) void this.#cell.stop({});
  }

  watch(ref: ActorRef<never>, makeMessage: (reason: StopReason) => M): void {
    if (this.hasEnded) return;
    const unwatch = this.#cell.watchOther(ref, (reason: StopReason) => {
      this.#endings?.delete(unwatch);
      this.#tellOwn(() => makeMessage(reason));
    });
    this.#atEnd(unwatch);
  }

  after(delayMs: number, message: M): Timer {
    if (this.hasEnded) return NOTHING;
    const timer = this.clock.setTimer(delayMs, () => {
      this.#endings?.delete(cancel);
      this.#tellOwn(() => message);
    });
    const cancel = () => {
      this.#endings?.delete(cancel);
      timer.cancel();
    };
    this.#atEnd(cancel);
    return { cancel };
  }

  pipe<T>(
    work: (signal: AbortSignal) => Promise<T>,
    makeMessage: (outcome: Outcome<T>) => M,
  ): Work {
    if (this.hasEnded) return NOTHING;
    const controller = new AbortController();
    const abort = () => controller.abort(this.#ended());
    this.#atEnd(abort);
    const settle = (outcome: Outcome<T>) => {
      this.#endings?.delete(abort);
      this.#tellOwn(() => makeMessage(outcome));
    };
    start(work, controller.signal).then(
      (value) => settle({ state: "ok", value }),
      (thrown) => settle({ state: "failed", error: asError(thrown) }),
    );
    return { abort: (reason: Error) => controller.abort(reason) };
  }

  /** Takes nothing more from the mailbox until `release`. */
  hold(): void {
    this.isHeld = true;
  }

  /** Ends a hold. */
  release(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    if (!this.hasEnded) this.#cell.resume();
  }

  /** Lets the actor fail from outside its handler; nothing once this life has ended. */
  fail(error: Error): void {
    if (!this.hasEnded) this.#cell.fail(error);
  }

  /** Counts and reports a message that this actor took but could not pass on. */
  deadLetter(message: M, error: Error): void {
    this.#cell.home.deadLetter(this.#cell.name, "failed", message, error);
  }

  /** Tells the world what happened. */
  emit(event: KernelEvent): void {
    this.#cell.home.emit(event);
  }

  /** Ends this life: aborts work, cancels timers and watches. */
  end(): void {
    this.hasEnded = true;
    const endings = this.#endings;
    this.#endings = undefined;
    for (const end of endings ?? []) end();
    this.#controller?.abort(this.#ended());
  }

  /** A message that cannot be made fails the actor, as it would inside the handler. */
  #tellOwn(makeMessage: () => M): void {
    if (this.hasEnded) return;
    try {
      this.#cell.tellOwn(makeMessage(), this);
    } catch (thrown) {
      this.fail(asError(thrown));
    }
  }

  #atEnd(ending: () => void): void {
    (this.#endings ??= new Set()).add(ending);
  }

  #ended(): IncarnationEndedError {
    return new IncarnationEndedError(`Stopped work of "${this.#cell.name}": its actor ended`);
  }
}

/** Starts work so that what it throws at once is an outcome as well. */
async function start<T>(
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  return await work(signal);
}

/** The incarnation behind a context, for the kernel's own actors. */
export function incarnationOf<M>(context: ActorContext<M>): Incarnation<M> {
  invariant(context instanceof Incarnation, "a context is an incarnation of this kernel");
  return context;
}
