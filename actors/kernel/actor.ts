/**
 * What an actor is, and what it is given.
 * @module
 */

import type { Clock, Timer } from "./clock.ts";
import type { Overflow } from "./mailbox.ts";
import type { NewId, Random } from "./random.ts";
import type { ActorRef } from "./ref.ts";

/**
 * A value behind a mailbox. `receive` is synchronous and handles one message to its end; when it
 * throws, the supervisor restarts the actor and the message goes to dead letters.
 */
export interface Actor<M> {
  receive(message: M): void;
  /**
   * Ends what this incarnation owns, before a restart or at the stop; awaited at the stop, up to
   * the definition's `shutdownMs`.
   */
  stopped?(): void | Promise<void>;
}

/** Why an actor ended, as told to those that watch it. */
export type StopReason =
  | { readonly type: "stopped" }
  | { readonly type: "failed"; readonly error: Error };

/** How a piece of work beside the mailbox ended. */
export type Outcome<T> =
  | { readonly state: "ok"; readonly value: T }
  | { readonly state: "failed"; readonly error: Error };

/** Work that runs beside the mailbox. */
export interface Work {
  /** Aborts the work's signal; its outcome still arrives, once, as a message. */
  abort(reason: Error): void;
}

/** When a child is started again, how often at most, and what happens past that. */
export interface Supervision {
  /** A deliberate stop is never undone; a failure is, unless `never`. @default "on_failure" */
  readonly restart?: "on_failure" | "never";
  /** First delay before a restart; doubles with each one. @default 100 */
  readonly backoffMinMs?: number;
  /** @default 30_000 */
  readonly backoffMaxMs?: number;
  /** Restarts allowed within `withinMs`; one more and `beyond` is done. @default 10 */
  readonly restartsMax?: number;
  /** @default 60_000 */
  readonly withinMs?: number;
  /** Past the allowance: end the child, or let the parent fail. @default "stop" */
  readonly beyond?: "stop" | "escalate";
}

/** All that the runtime needs to know to start, bound and restart an actor. */
export interface ActorDefinition<M> {
  /** Last part of the path; unique among its siblings. */
  readonly name: string;
  /** Makes one incarnation. What it throws counts as a failure of the actor. */
  readonly create: (context: ActorContext<M>) => Actor<M>;
  /** Messages that may wait. @default 1_000 */
  readonly mailboxMax?: number;
  /** What happens at the bound. @default refuse */
  readonly overflow?: Overflow<M>;
  readonly supervision?: Supervision;
  /** Longest wait for `stopped()` at the end. @default 5_000 */
  readonly shutdownMs?: number;
}

/** How an actor is stopped: at once, or after what waits in its mailbox. */
export interface StopOptions {
  /** @default "now" */
  readonly mode?: "now" | "drain";
}

/** What an actor sees of the runtime. It belongs to one incarnation. */
export interface ActorContext<M> {
  readonly self: ActorRef<M>;
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  /** Aborts when this incarnation ends (restart or stop). Made at first use. */
  readonly signal: AbortSignal;
  /** Starts a child. Children are stopped, newest first, before their parent stops or restarts. */
  spawn<C>(definition: ActorDefinition<C>): ActorRef<C>;
  /** Stops a child and waits for its end. */
  stop(child: ActorRef<never>, options?: StopOptions): Promise<void>;
  /** Stops this actor. */
  stopSelf(): void;
  /**
   * Sends `makeMessage(reason)` to this actor once, when the watched one has stopped for good (at
   * once if it already has).
   */
  watch(ref: ActorRef<never>, makeMessage: (reason: StopReason) => M): void;
  /** Sends `message` to this actor after `delayMs`, unless cancelled or the incarnation ended. */
  after(delayMs: number, message: M): Timer;
  /**
   * Runs `work` beside the mailbox; its outcome comes back as one message, which is dropped if
   * this incarnation has ended meanwhile. The signal aborts then.
   */
  pipe<T>(
    work: (signal: AbortSignal) => Promise<T>,
    makeMessage: (outcome: Outcome<T>) => M,
  ): Work;
}
