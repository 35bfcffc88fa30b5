/**
 * The runtime's side of an actor: its mailbox, its incarnation, its place in the tree.
 * @module
 */

import type { Actor, ActorDefinition, StopOptions, StopReason } from "./actor.ts";
import { askTarget } from "./ask.ts";
import type { CellHome } from "./cell_home.ts";
import { asError } from "./errors.ts";
import { Incarnation, type IncarnationHost } from "./incarnation.ts";
import { invariant } from "./invariant.ts";
import { Mailbox } from "./mailbox.ts";
import type { ActorRef, AskOptions, ReplyTo, TellResult } from "./ref.ts";
import type { Runnable } from "./scheduler.ts";
import { RestartPolicy } from "./supervision.ts";

/** Messages one actor handles before others get their turn. */
const MESSAGES_PER_BATCH = 64;
const MAILBOX_MAX = 1_000;
const SHUTDOWN_MS = 5_000;

/**
 * running: handles messages; suspended: failed, waits for its restart, messages queue up;
 * draining: handles what waits, takes nothing new; stopping: waits for children; stopped: gone.
 */
type State = "running" | "suspended" | "draining" | "stopping" | "stopped";

/** An actor as its relatives see it. */
export interface CellNode {
  readonly name: string;
  stop(options: StopOptions): Promise<void>;
  fail(error: Error): void;
}

/** What only some actors need, made at first use so that an idle one stays small. */
interface Extras {
  children: Map<string, CellNode> | undefined;
  watchers: Set<(reason: StopReason) => void> | undefined;
  policy: RestartPolicy | undefined;
  restarts: number;
  stopping: PromiseWithResolvers<void> | undefined;
}

/** One actor as the runtime sees it, and the ref that others hold. */
export class Cell<M> implements IncarnationHost<M>, Runnable {
  readonly home: CellHome;
  readonly name: string;
  readonly #parent: CellNode | undefined;
  readonly #siblings: Map<string, CellNode>;
  readonly #definition: ActorDefinition<M>;
  #state: State = "running";
  #actor: Actor<M> | undefined;
  #incarnation: Incarnation<M>;
  #mailbox: Mailbox<M> | undefined;
  #isScheduled = false;
  #extras: Extras | undefined;

  /** Starts an actor under `parent` (none: at the top). */
  static spawn<M>(
    home: CellHome,
    parent: CellNode | undefined,
    siblings: Map<string, CellNode>,
    definition: ActorDefinition<M>,
  ): Cell<M> {
    invariant(!siblings.has(definition.name), `no sibling is named "${definition.name}"`);
    const cell = new Cell(home, parent, siblings, definition);
    siblings.set(definition.name, cell);
    home.emit({ type: "actor_started", actor: cell.name });
    cell.#begin();
    return cell;
  }

  private constructor(
    home: CellHome,
    parent: CellNode | undefined,
    siblings: Map<string, CellNode>,
    definition: ActorDefinition<M>,
  ) {
    this.home = home;
    this.name = `${parent?.name ?? ""}/${definition.name}`;
    this.#parent = parent;
    this.#siblings = siblings;
    this.#definition = definition;
    this.#incarnation = new Incarnation(this);
  }

  tell(message: M): TellResult {
    if (this.#state !== "running" && this.#state !== "suspended") {
      this.home.deadLetter(this.name, "closed", message);
      return "closed";
    }
    const mailbox = (this.#mailbox ??= new Mailbox<M>());
    if (mailbox.size >= (this.#definition.mailboxMax ?? MAILBOX_MAX)) {
      return this.#overflow(mailbox, message);
    }
    mailbox.push(message);
    if (!this.#isScheduled) this.#schedule();
    return "taken";
  }

  ask<R>(makeMessage: (replyTo: ReplyTo<R>) => M, options: AskOptions): Promise<R> {
    const target = { name: this.name, clock: this.home.clock, tell: (m: M) => this.tell(m) };
    return askTarget(target, makeMessage, options);
  }

  /** A message from the actor's own timers, work and watches: bounded by their number, never refused. */
  tellOwn(message: M, incarnation: Incarnation<M>): void {
    if (incarnation !== this.#incarnation || incarnation.hasEnded) return;
    (this.#mailbox ??= new Mailbox<M>()).push(message);
    if (!this.#isScheduled) this.#schedule();
  }

  run(): boolean {
    const mailbox = this.#mailbox;
    let budget = MESSAGES_PER_BATCH;
    while (
      mailbox !== undefined && mailbox.size > 0 && budget-- > 0 &&
      (this.#state === "running" || this.#state === "draining")
    ) {
      this.#handle(mailbox.shift());
    }
    const isActive = this.#state === "running" || this.#state === "draining";
    if (mailbox !== undefined && mailbox.size > 0 && isActive) return true;
    this.#isScheduled = false;
    if (mailbox?.size === 0) this.#mailbox = undefined;
    if (this.#state === "draining") this.#finish({ type: "stopped" });
    return false;
  }

  spawnChild<C>(definition: ActorDefinition<C>): Cell<C> {
    const extras = this.#extra();
    extras.children ??= new Map();
    return Cell.spawn(this.home, this, extras.children, definition);
  }

  /** Stops the actor; resolves when it and its children have ended. */
  stop({ mode = "now" }: StopOptions): Promise<void> {
    const extras = this.#extra();
    if (this.#state === "stopped") return Promise.resolve();
    extras.stopping ??= Promise.withResolvers<void>();
    if (this.#state === "stopping" || this.#state === "draining") return extras.stopping.promise;
    if (mode === "drain" && this.#state === "running") {
      this.#state = "draining";
      if (!this.#isScheduled) this.#schedule();
    } else {
      this.#finish({ type: "stopped" });
    }
    return extras.stopping.promise;
  }

  stopOther(ref: ActorRef<never>, options: StopOptions): Promise<void> {
    return stopRef(ref, options);
  }

  watchOther(ref: ActorRef<never>, onStop: (reason: StopReason) => void): () => void {
    const other = cellOf(ref);
    if (other.#state === "stopped") {
      queueMicrotask(() => onStop({ type: "stopped" }));
      return () => {};
    }
    const watchers = (other.#extra().watchers ??= new Set());
    watchers.add(onStop);
    return () => watchers.delete(onStop);
  }

  /** The actor failed: restart it, end it, or let the parent fail. */
  fail(error: Error): void {
    if (this.#state !== "running" && this.#state !== "draining") return;
    if (this.#state === "draining") return this.#finish({ type: "failed", error });
    const extras = this.#extra();
    extras.policy ??= new RestartPolicy(this.#definition.supervision, this.home.random);
    const verdict = extras.policy.onFailure(this.home.clock.now());
    if (verdict.type === "restart") return this.#restart(error, verdict.delayMs);
    this.#finish({ type: "failed", error });
    if (verdict.type === "escalate") this.#parent?.fail(error);
  }

  #begin(): void {
    try {
      this.#actor = this.#definition.create(this.#incarnation);
    } catch (error) {
      this.fail(asError(error));
    }
  }

  #handle(message: M): void {
    try {
      this.#actor?.receive(message);
    } catch (thrown) {
      const error = asError(thrown);
      this.home.deadLetter(this.name, "failed", message, error);
      this.fail(error);
    }
  }

  #overflow(mailbox: Mailbox<M>, message: M): TellResult {
    const overflow = this.#definition.overflow ?? { type: "refuse" };
    if (overflow.type === "drop_oldest") {
      this.home.deadLetter(this.name, "dropped_oldest", mailbox.shift());
      mailbox.push(message);
      return "taken";
    }
    if (overflow.type === "merge" && mailbox.mergeNewest(message, overflow.merge)) return "taken";
    this.home.deadLetter(this.name, "full", message);
    return "full";
  }

  #schedule(): void {
    this.#isScheduled = true;
    this.home.scheduler.schedule(this);
  }

  #restart(error: Error, delayMs: number): void {
    this.#state = "suspended";
    const extras = this.#extra();
    extras.restarts++;
    const ended = this.#endIncarnation();
    this.home.emit({
      type: "actor_restarted",
      actor: this.name,
      restarts: extras.restarts,
      error: error.message,
    });
    ended.then(() =>
      this.home.clock.setTimer(delayMs, () => {
        if (this.#state !== "suspended") return;
        this.#incarnation = new Incarnation(this);
        this.#state = "running";
        this.#begin();
        if (this.#mailbox !== undefined && !this.#isScheduled) this.#schedule();
      })
    );
  }

  #finish(reason: StopReason): void {
    this.#state = "stopping";
    while (this.#mailbox !== undefined && this.#mailbox.size > 0) {
      this.home.deadLetter(this.name, "stopped", this.#mailbox.shift());
    }
    this.#mailbox = undefined;
    this.#endIncarnation().then(() => this.#gone(reason));
  }

  #gone(reason: StopReason): void {
    this.#state = "stopped";
    this.#siblings.delete(this.#definition.name);
    this.home.emit({
      type: "actor_stopped",
      actor: this.name,
      ...(reason.type === "failed" && { error: reason.error.message }),
    });
    for (const onStop of this.#extras?.watchers ?? []) onStop(reason);
    this.#extras?.stopping?.resolve();
  }

  /** Aborts the incarnation's work, stops the children, newest first, then the actor itself. */
  async #endIncarnation(): Promise<void> {
    const actor = this.#actor;
    this.#actor = undefined;
    this.#incarnation.end();
    const children = [...this.#extras?.children?.values() ?? []].reverse();
    for (const child of children) await child.stop({});
    try {
      await this.#within(actor?.stopped?.());
    } catch (thrown) {
      this.home.deadLetter(this.name, "failed", "stopped()", asError(thrown));
    }
  }

  async #within(stopping: void | Promise<void>): Promise<void> {
    if (stopping === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.home.clock.setTimer(this.#definition.shutdownMs ?? SHUTDOWN_MS, resolve);
    try {
      await Promise.race([stopping, promise]);
    } finally {
      timer.cancel();
    }
  }

  #extra(): Extras {
    return this.#extras ??= {
      children: undefined,
      watchers: undefined,
      policy: undefined,
      restarts: 0,
      stopping: undefined,
    };
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
