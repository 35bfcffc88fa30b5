/**
 * The runtime's side of an actor: its mailbox, its incarnation, its place in the tree.
 * @module
 */

import type { Actor, ActorDefinition, StopOptions, StopReason } from "./actor.ts";
import { askTarget, type FailAsk } from "./ask.ts";
import type { CellHome } from "./cell_home.ts";
import {
  type ActorGlance,
  type CellChild,
  type CellExtras,
  type CellParent,
  newExtras,
} from "./cell_extras.ts";
import { endActor } from "./ending.ts";
import { asError, type AskFailure } from "./errors.ts";
import type { DeadLetterReason } from "./events.ts";
import { Incarnation, type IncarnationHost } from "./incarnation.ts";
import { invariant } from "./invariant.ts";
import { Mailbox, OwnMessage } from "./mailbox.ts";
import { OpenAsks } from "./open_asks.ts";
import type { ActorRef, AskOptions, ReplyTo, TellResult } from "./ref.ts";
import type { Runnable } from "./scheduler.ts";
import { RestartPolicy } from "./supervision.ts";

/** Messages one actor handles before others get their turn. */
const MESSAGES_PER_BATCH = 64;
const MAILBOX_MAX = 1_000;
const SHUTDOWN_MS = 5_000;

/** How an ask fails whose message went to dead letters. */
const DEAD_ASK: Record<DeadLetterReason, AskFailure> = {
  full: "ask_refused",
  dropped_oldest: "ask_refused",
  closed: "ask_closed",
  stopped: "ask_closed",
  failed: "ask_failed",
};

/**
 * running: handles messages; suspended: failed, waits for its restart, messages queue up;
 * draining: handles what waits, takes nothing new; stopping: waits for children; stopped: gone.
 */
type State = "running" | "suspended" | "draining" | "stopping" | "stopped";

/** One actor as the runtime sees it, and the ref that others hold. */
export class Cell<M> implements IncarnationHost<M>, CellParent, Runnable {
  readonly home: CellHome;
  readonly #parent: CellParent;
  readonly #definition: ActorDefinition<M>;
  #state: State = "running";
  #actor: Actor<M> | undefined;
  #incarnation: Incarnation<M>;
  #mailbox: Mailbox<M> | undefined;
  #isScheduled = false;
  #extras: CellExtras | undefined;

  /**
   * Starts an actor under `parent`.
   *
   * @throws {InvariantError} when a sibling has its name or its bound is below 1
   */
  static spawn<M>(
    home: CellHome,
    parent: CellParent,
    definition: ActorDefinition<M>,
  ): Cell<M> {
    const { name } = definition;
    invariant(!parent.children.has(name), `no sibling is named "${name}"`);
    invariant((definition.mailboxMax ?? MAILBOX_MAX) > 0, "a mailbox holds a message");
    const cell = new Cell(home, parent, definition);
    parent.children.set(name, cell);
    home.emit({ type: "actor_started", actor: cell.name });
    cell.#begin();
    return cell;
  }

  private constructor(
    home: CellHome,
    parent: CellParent,
    definition: ActorDefinition<M>,
  ) {
    this.home = home;
    this.#parent = parent;
    this.#definition = definition;
    this.#incarnation = new Incarnation(this);
  }

  /** Made when asked for: most actors are never named. */
  get name(): string {
    return `${this.#parent.name}/${this.#definition.name}`;
  }

  get children(): Map<string, CellChild> {
    return this.#extra().children ??= new Map();
  }

  tell(message: M): TellResult {
    const result = this.offer(message);
    if (result !== "taken") this.#deadLetter(result, message);
    return result;
  }

  /** A tell whose message stays with the caller when it is not taken. */
  offer(message: M): TellResult {
    if (this.#state !== "running" && this.#state !== "suspended") return "closed";
    const mailbox = (this.#mailbox ??= new Mailbox<M>());
    if (mailbox.told >= (this.#definition.mailboxMax ?? MAILBOX_MAX)) {
      return this.#overflow(mailbox, message);
    }
    mailbox.push(message);
    if (!this.#isScheduled) this.#schedule();
    return "taken";
  }

  ask<R>(makeMessage: (replyTo: ReplyTo<R>) => M, options: AskOptions): Promise<R> {
    const target = {
      name: this.name,
      clock: this.home.clock,
      tell: (message: M, fail: FailAsk) => this.#tellAsk(message, fail),
      settled: (message: M) => this.#extras?.asks?.delete(message),
    };
    return askTarget(target, makeMessage, options);
  }

  /** Takes a message from the actor's own timers, work and watches: bounded by their number. */
  tellOwn(message: M, incarnation: Incarnation<M>): void {
    if (incarnation.hasEnded) return;
    (this.#mailbox ??= new Mailbox<M>()).pushOwn(new OwnMessage(message, incarnation));
    if (!this.#isScheduled) this.#schedule();
  }

  run(messagesMax: number = MESSAGES_PER_BATCH): boolean {
    const mailbox = this.#mailbox;
    if (mailbox !== undefined) {
      let budget = messagesMax;
      while (budget-- > 0 && mailbox.size > 0 && this.#isHandling()) this.#handle(mailbox.shift());
      if (mailbox.size > 0 && this.#isHandling()) return true;
    }
    this.#isScheduled = false;
    if (mailbox !== undefined && mailbox.size > 0) return false;
    this.#mailbox = undefined;
    if (this.#state === "draining") this.#finish({ type: "stopped" });
    return false;
  }

  resume(): void {
    if (this.#mailbox !== undefined && !this.#isScheduled) this.#schedule();
  }

  spawnChild<C>(definition: ActorDefinition<C>): Cell<C> {
    return Cell.spawn(this.home, this, definition);
  }

  *glances(): Generator<ActorGlance> {
    const waiting = this.#mailbox?.size ?? 0;
    const { children, restarts = 0 } = this.#extras ?? {};
    yield { name: this.name, state: this.#state, waiting, restarts };
    for (const child of children?.values() ?? []) yield* child.glances();
  }

  /** Stops the actor; resolves when it and its children have ended. */
  stop({ mode = "now" }: StopOptions): Promise<void> {
    if (this.#state === "stopped") return Promise.resolve();
    const { promise } = this.#extra().stopping ??= Promise.withResolvers<void>();
    if (this.#state === "stopping") return promise;
    if (mode === "now" || this.#state === "suspended") this.#finish({ type: "stopped" });
    else if (this.#state === "running") {
      this.#state = "draining";
      if (!this.#isScheduled) this.#schedule();
    }
    return promise;
  }

  stopOther(ref: ActorRef<never>, options: StopOptions): Promise<void> {
    return stopRef(ref, options);
  }

  watchOther(ref: ActorRef<never>, onStop: (reason: StopReason) => void): () => void {
    return watchRef(ref, onStop);
  }

  /** Calls `onStop` when this actor has stopped; returns the way to take that back. */
  addWatcher(onStop: (reason: StopReason) => void): () => void {
    const extras = this.#extra();
    const { ended } = extras;
    if (ended !== undefined) {
      queueMicrotask(() => onStop(ended));
      return () => {};
    }
    const watchers = (extras.watchers ??= new Set());
    watchers.add(onStop);
    return () => watchers.delete(onStop);
  }

  /** The actor failed: restart it, end it, or let the parent fail. */
  fail(error: Error): void {
    if (this.#state === "draining") return this.#finish({ type: "failed", error });
    if (this.#state !== "running") return;
    const extras = this.#extra();
    extras.policy ??= new RestartPolicy(this.#definition.supervision, this.home.random);
    const verdict = extras.policy.onFailure(this.home.clock.now());
    if (verdict.type === "restart") return this.#suspend(extras, error, verdict.delayMs);
    this.#finish({ type: "failed", error });
    if (verdict.type === "escalate") this.#parent.fail(error);
  }

  #begin(): void {
    try {
      this.#actor = this.#definition.create(this.#incarnation);
    } catch (thrown) {
      this.fail(asError(thrown));
    }
  }

  #isHandling(): boolean {
    return (this.#state === "running" || this.#state === "draining") && !this.#incarnation.isHeld;
  }

  #handle(entry: M | OwnMessage<M>): void {
    const isOwn = entry instanceof OwnMessage;
    if (isOwn && entry.owner !== this.#incarnation) return;
    const message = isOwn ? entry.message : entry;
    try {
      this.#actor?.receive(message);
    } catch (thrown) {
      const error = asError(thrown);
      this.#deadLetter("failed", message, error);
      this.fail(error);
    }
  }

  #tellAsk(message: M, fail: FailAsk): TellResult {
    const result = this.tell(message);
    if (result === "taken") (this.#extra().asks ??= new OpenAsks()).add(message, fail);
    return result;
  }

  #deadLetter(reason: DeadLetterReason, message: M, error?: Error): void {
    this.#extras?.asks?.fail(message, DEAD_ASK[reason], `not handled (${reason})`, error);
    this.home.deadLetter(this.name, reason, message, error);
  }

  #overflow(mailbox: Mailbox<M>, message: M): TellResult {
    const overflow = this.#definition.overflow;
    if (overflow?.type === "drop_oldest") {
      this.#deadLetter("dropped_oldest", mailbox.shiftTold());
      mailbox.push(message);
      return "taken";
    }
    if (overflow?.type !== "merge") return "full";
    try {
      return mailbox.mergeNewest(message, overflow.merge) ? "taken" : "full";
    } catch (thrown) {
      this.fail(asError(thrown));
      return "full";
    }
  }

  #schedule(): void {
    this.#isScheduled = true;
    this.home.scheduler.schedule(this);
  }

  #suspend(extras: CellExtras, error: Error, delayMs: number): void {
    this.#state = "suspended";
    const restarts = ++extras.restarts;
    this.home.emit({
      type: "actor_restarted",
      actor: this.name,
      restarts,
      error: error.message,
    });
    this.#endIncarnation(extras).then(() => {
      const waiting = this.#mailbox?.waiting() ?? [];
      extras.asks?.failAllBut(waiting, "ask_failed", "it failed before it answered", error);
      if (this.#state !== "suspended") return;
      extras.restartTimer = this.home.clock.setTimer(delayMs, () => this.#resurrect(extras));
    });
  }

  #resurrect(extras: CellExtras): void {
    extras.restartTimer = undefined;
    this.#incarnation = new Incarnation(this);
    this.#state = "running";
    this.#begin();
    this.resume();
  }

  #finish(reason: StopReason): void {
    this.#state = "stopping";
    const mailbox = this.#mailbox;
    this.#mailbox = undefined;
    while (mailbox !== undefined && mailbox.told > 0) {
      this.#deadLetter("stopped", mailbox.shiftTold());
    }
    const extras = this.#extra();
    extras.restartTimer?.cancel();
    this.#endIncarnation(extras).then(() => this.#gone(extras, reason));
  }

  #gone(extras: CellExtras, reason: StopReason): void {
    this.#state = "stopped";
    this.#parent.children.delete(this.#definition.name);
    extras.ended = reason;
    extras.asks?.failAllBut([], "ask_closed", "it stopped before it answered");
    this.home.emit({
      type: "actor_stopped",
      actor: this.name,
      ...(reason.type === "failed" && { error: reason.error.message }),
    });
    const watchers = extras.watchers;
    extras.watchers = undefined;
    for (const onStop of watchers ?? []) onStop(reason);
    extras.stopping?.resolve();
  }

  /** Ends this life; a stop during a restart waits for the ending that is under way. */
  #endIncarnation(extras: CellExtras): Promise<void> {
    this.#incarnation.end();
    return extras.ending ??= endActor({
      name: this.name,
      clock: this.home.clock,
      shutdownMs: this.#definition.shutdownMs ?? SHUTDOWN_MS,
      children: () => extras.children?.values() ?? [],
      takeActor: () => {
        const actor = this.#actor;
        this.#actor = undefined;
        return actor;
      },
    }).finally(() => extras.ending = undefined);
  }

  #extra(): CellExtras {
    return this.#extras ??= newExtras();
  }
}

function cellOf(ref: ActorRef<never>): Cell<unknown> {
  invariant(ref instanceof Cell, `"${ref.name}" is an actor of this system`);
  const cell: Cell<unknown> = ref;
  return cell;
}

/** Stops the actor behind a ref of this process. */
export function stopRef(ref: ActorRef<never>, options: StopOptions): Promise<void> {
  return cellOf(ref).stop(options);
}

/** Watches the actor behind a ref of this process. */
export function watchRef(ref: ActorRef<never>, onStop: (reason: StopReason) => void): () => void {
  return cellOf(ref).addWatcher(onStop);
}

/** Tells `ref`, but leaves a message that is not taken with the caller: no dead letter. */
export function offer<M>(ref: ActorRef<M>, message: M): TellResult {
  return ref instanceof Cell ? ref.offer(message) : ref.tell(message);
}
