/**
 * Actors that live in a Worker: the side that starts, watches and replaces the thread.
 *
 * ```ts ignore
 * // where the Worker is wanted
 * const chat = context.spawn(workerActor<ToChat, FromChat>({
 *   name: "chat",
 *   entry: new URL("./chat_worker.ts", import.meta.url),
 *   permissions: { net: ["open.example.org:443"], read: [mediaFolder], write: [mediaFolder] },
 *   init: { appId: "a1" },
 *   parent: context.self, // gets FromChat | WorkerNotice
 * }));
 * chat.tell({ type: "greet", name: "Ada" });
 * const receipt = await chat.ask<Receipt>(
 *   (replyTo) => ({ type: "deliver", delivery, replyTo }),
 *   { timeoutMs: 60_000 },
 * );
 *
 * // chat_worker.ts
 * runWorker<ToChat, FromChat>((context, parent, init) => ({
 *   receive(message) {
 *     switch (message.type) {
 *       case "greet":
 *         return void parent.tell({ type: "said", text: `Hello ${message.name}` });
 *       case "deliver":
 *         return message.replyTo.reply({ messageIds: [] });
 *     }
 *   },
 * }));
 * ```
 *
 * Messages must survive a structured clone, except for one `replyTo` at their top level.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Actor, ActorDefinition, Supervision } from "./actor.ts";
import { nextTurn } from "./adapters/event_loop.ts";
import { launchWorker } from "./adapters/worker_launch.ts";
import type { Timer } from "./clock.ts";
import { asError, AskError } from "./errors.ts";
import { Heartbeat } from "./heartbeat.ts";
import { type Incarnation, incarnationOf } from "./incarnation.ts";
import { unreachable } from "./invariant.ts";
import type { JsonValue } from "./json.ts";
import { LinkSender } from "./link_sender.ts";
import type { Overflow } from "./mailbox.ts";
import type { ActorRef } from "./ref.ts";
import { decodeError, type Farewell, type Signal } from "./worker_envelope.ts";
import { WorkerLink } from "./worker_link.ts";
import { type WorkerDeath, WorkerError, type WorkerNotice } from "./worker_notice.ts";
import type { LaunchWorker, WorkerPermissions, WorkerThread } from "./worker_thread.ts";

export { type WorkerDeath, WorkerError, type WorkerNotice };

const logger = getLogger(["troupe", "kernel", "worker_actor"]);

/** Time to load the Worker's modules on a slow machine. */
const START_MS = 30_000;
const STOP_GRACE_MS = 5_000;
/** What the kernel waits beyond the grace, so that the grace ends first. */
const SHUTDOWN_MARGIN_MS = 1_000;
const HEARTBEAT_MS = 5_000;
const HEARTBEAT_MISSES_MAX = 3;

/** An actor in a Worker, as its parent wants it. */
export interface WorkerActorOptions<ToWorker, FromWorker> {
  readonly name: string;
  /** The module that calls `runWorker`. */
  readonly entry: URL;
  /** @default none at all */
  readonly permissions?: WorkerPermissions;
  /** Handed to the factory in the Worker. */
  readonly init: JsonValue;
  /** Gets what the actor in the Worker tells and asks its parent, and notices of the Worker's life. */
  readonly parent: ActorRef<FromWorker | WorkerNotice>;
  /**
   * Checks what comes out of the Worker, which has fewer rights than we do. What it throws ends
   * the Worker. @default trusts it
   */
  readonly parse?: (message: unknown) => FromWorker;
  readonly supervision?: Supervision;
  /** Messages that may wait on this side. @default 1_000 */
  readonly mailboxMax?: number;
  readonly overflow?: Overflow<ToWorker>;
  /** @default 5_000 */
  readonly heartbeatMs?: number;
  /** Beats in a row without a sign of life that mean death. @default 3 */
  readonly heartbeatMissesMax?: number;
  /** Longest time until the Worker is ready. @default 30_000 */
  readonly startMs?: number;
  /** How long the Worker may take to stop before its thread is ended. @default 5_000 */
  readonly stopGraceMs?: number;
  /** Starts the thread. @default a Web Worker */
  readonly launch?: LaunchWorker;
}

/**
 * The definition of an actor that lives in a Worker. Each restart is a new Worker; messages that
 * still wait on this side go to it, messages on the way to the old one are lost, and their asks
 * fail with `worker_died`.
 */
export function workerActor<ToWorker, FromWorker>(
  options: WorkerActorOptions<ToWorker, FromWorker>,
): ActorDefinition<ToWorker> {
  const { name, supervision, mailboxMax, overflow, stopGraceMs = STOP_GRACE_MS } = options;
  return {
    name,
    create: (context) => startWorker(incarnationOf(context), options),
    shutdownMs: stopGraceMs + SHUTDOWN_MARGIN_MS,
    ...(supervision && { supervision }),
    ...(mailboxMax !== undefined && { mailboxMax }),
    ...(overflow && { overflow }),
  };
}

function startWorker<ToWorker, FromWorker>(
  incarnation: Incarnation<ToWorker>,
  options: WorkerActorOptions<ToWorker, FromWorker>,
): WorkerActor<ToWorker, FromWorker> {
  try {
    return new WorkerActor(incarnation, options);
  } catch (thrown) {
    const worker = incarnation.self.name;
    const why = asError(thrown);
    const message = `Cannot start Worker "${worker}": ${why.message}`;
    const error = new WorkerError("worker_not_started", message, { cause: why });
    options.parent.tell({ type: "worker_died", worker, error, unacknowledged: 0 });
    throw error;
  }
}

/** One Worker and the link to it; a new one at each restart. */
class WorkerActor<ToWorker, FromWorker> implements Actor<ToWorker> {
  readonly #incarnation: Incarnation<ToWorker>;
  readonly #options: WorkerActorOptions<ToWorker, FromWorker>;
  readonly #thread: WorkerThread;
  readonly #link: WorkerLink<ToWorker, FromWorker>;
  readonly #sender: LinkSender<ToWorker>;
  readonly #heartbeat: Heartbeat;
  readonly #starting: Timer;
  readonly #farewell = Promise.withResolvers<void>();
  #state: "starting" | "ready" | "stopping" | "dead" = "starting";
  #deadLetters = 0;

  constructor(
    incarnation: Incarnation<ToWorker>,
    options: WorkerActorOptions<ToWorker, FromWorker>,
  ) {
    const { name, entry, permissions = {}, init, launch = launchWorker } = options;
    const { clock } = incarnation;
    this.#incarnation = incarnation;
    this.#options = options;
    incarnation.hold();
    this.#thread = launch({
      entry,
      permissions,
      start: { name, init },
      onError: (error) => this.#die(this.#error("worker_fault", error.message, error)),
    });
    this.#link = this.#makeLink();
    this.#sender = new LinkSender(incarnation, this.#link);
    this.#heartbeat = new Heartbeat({
      clock,
      nextTurn,
      everyMs: options.heartbeatMs ?? HEARTBEAT_MS,
      missesMax: options.heartbeatMissesMax ?? HEARTBEAT_MISSES_MAX,
      beat: () => this.#link.signal({ kind: "beat" }),
      onSilent: () => this.#giveUp("worker_silent", "it gave no sign of life"),
    });
    const startMs = options.startMs ?? START_MS;
    this.#starting = clock.setTimer(
      startMs,
      () => this.#giveUp("worker_not_started", `it was not ready within ${startMs} ms`),
    );
    this.#link.open();
  }

  receive(message: ToWorker): void {
    this.#sender.receive(message);
  }

  /** Lets the Worker handle what it has and end; ends it when that takes too long. */
  async stopped(): Promise<void> {
    if (this.#state === "ready") {
      this.#state = "stopping";
      this.#heartbeat.stop();
      this.#link.signal({ kind: "stop" });
      await this.#farewellInTime();
    }
    this.#end(new AskError("ask_closed", `Cannot ask "${this.#name}": it has stopped`));
  }

  get #name(): string {
    return this.#incarnation.self.name;
  }

  #makeLink(): WorkerLink<ToWorker, FromWorker> {
    return new WorkerLink<ToWorker, FromWorker>({
      port: this.#thread.port,
      clock: this.#incarnation.clock,
      target: () => this.#options.parent,
      // Both ends are built from one protocol; who trusts the Worker less hands in a parser.
      parse: this.#options.parse ?? ((body) => body as FromWorker),
      onArrival: () => this.#heartbeat.heard(),
      onCredit: () => this.#incarnation.release(),
      onSignal: (signal) => this.#onSignal(signal),
      onBroken: (error) => this.#die(this.#error("worker_fault", error.message, error)),
    });
  }

  #onSignal(signal: Signal): void {
    switch (signal.kind) {
      case "ready":
        return this.#ready();
      case "beat_back":
        return this.#countDeadLetters(signal.deadLetters);
      case "fault":
        return this.#onFault(decodeError(signal.error));
      case "goodbye":
        return this.#onGoodbye(signal.farewell);
      case "beat":
      case "stop":
        return;
      default:
        return unreachable(signal);
    }
  }

  #ready(): void {
    if (this.#state !== "starting") return;
    this.#state = "ready";
    this.#starting.cancel();
    this.#heartbeat.start();
    this.#notify({ type: "worker_ready", worker: this.#name });
    this.#incarnation.release();
  }

  #onFault(error: Error): void {
    this.#die(this.#error("worker_fault", error.message, error));
  }

  #onGoodbye(farewell: Farewell): void {
    if (farewell !== "stopped") {
      const code = farewell === "closed" ? "worker_closed" : "worker_exited";
      return this.#die(this.#error(code, `its code ended it (${farewell})`));
    }
    this.#farewell.resolve();
    if (this.#state === "stopping") return;
    this.#end(new AskError("ask_closed", `Cannot ask "${this.#name}": it has stopped`));
    this.#incarnation.stopSelf();
  }

  #countDeadLetters(deadLetters: number): void {
    if (deadLetters <= this.#deadLetters) return;
    logger.warn("Worker {worker} did not handle {count} messages", {
      worker: this.#name,
      count: deadLetters - this.#deadLetters,
    });
    this.#deadLetters = deadLetters;
  }

  /** The Worker does not answer, so that its thread may never end. */
  #giveUp(code: WorkerDeath, why: string): void {
    this.#reportStuck();
    this.#die(this.#error(code, why));
  }

  #reportStuck(): void {
    logger.error("Worker {worker} does not answer: its thread may use a core until we end", {
      worker: this.#name,
    });
    this.#incarnation.emit({ type: "worker_stuck", actor: this.#name });
    this.#notify({ type: "worker_stuck", worker: this.#name });
  }

  #die(error: WorkerError): void {
    if (this.#state === "dead") return;
    if (this.#state === "stopping") return this.#farewell.resolve();
    const { unacknowledged } = this.#link;
    const cause = { cause: error };
    this.#end(new AskError("worker_died", `Cannot ask "${this.#name}": its Worker died`, cause));
    this.#notify({ type: "worker_died", worker: this.#name, error, unacknowledged });
    this.#incarnation.fail(error);
  }

  #end(asksEnd: AskError): void {
    if (this.#state === "dead") return;
    this.#state = "dead";
    this.#starting.cancel();
    this.#heartbeat.stop();
    this.#link.close(asksEnd);
    this.#thread.terminate();
  }

  async #farewellInTime(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<"late">();
    const graceMs = this.#options.stopGraceMs ?? STOP_GRACE_MS;
    const timer = this.#incarnation.clock.setTimer(graceMs, () => resolve("late"));
    if (await Promise.race([this.#farewell.promise, late]) === "late") this.#reportStuck();
    timer.cancel();
  }

  #notify(notice: WorkerNotice): void {
    this.#options.parent.tell(notice);
  }

  #error(code: WorkerDeath, why: string, cause?: Error): WorkerError {
    return new WorkerError(code, `Cannot keep Worker "${this.#name}": ${why}`, { cause });
  }
}
