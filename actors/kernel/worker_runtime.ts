/**
 * Actors that live in a Worker: the side inside the thread. `worker_actor.ts` shows how the two
 * are used.
 * @module
 */

import type { Actor, ActorContext, StopReason } from "./actor.ts";
import { nextTurn } from "./adapters/event_loop.ts";
import { systemClock, systemNewId, systemRandom } from "./adapters/system_clock.ts";
import { threadScope } from "./adapters/worker_scope.ts";
import { incarnationOf } from "./incarnation.ts";
import type { JsonValue } from "./json.ts";
import { LinkSender } from "./link_sender.ts";
import type { ActorRef } from "./ref.ts";
import { FairScheduler } from "./scheduler.ts";
import { ActorSystem } from "./system.ts";
import { encodeError, type Signal } from "./worker_envelope.ts";
import { type LinkPort, WorkerLink } from "./worker_link.ts";
import type { WorkerScope, WorkerStart } from "./worker_thread.ts";

/** Makes the one actor of a Worker. */
export type WorkerActorFactory<ToWorker, FromWorker> = (
  context: ActorContext<ToWorker>,
  /** The actor outside that wanted this one; it pushes back with "full" as any other ref. */
  parent: ActorRef<FromWorker>,
  init: JsonValue,
) => Actor<ToWorker>;

/**
 * Runs one actor in this Worker, to be called once, by the Worker's module. The actor is not
 * restarted in here: when it fails, or an error of its timers and promises goes uncaught, the
 * other side is told and replaces the whole Worker.
 */
export function runWorker<ToWorker, FromWorker>(
  create: WorkerActorFactory<ToWorker, FromWorker>,
  scope: WorkerScope = threadScope(),
): void {
  let host: WorkerHost<ToWorker, FromWorker> | undefined;
  scope.onFault((error) => host?.report(error) ?? false);
  scope.onExit((farewell) => host?.signal({ kind: "goodbye", farewell }));
  scope.connect().then(({ port, start }) => {
    host = new WorkerHost(create, port, start);
  });
}

/** The actor system of one Worker: the actor, and its parent as a ref that leads over the link. */
class WorkerHost<ToWorker, FromWorker> {
  readonly #system: ActorSystem;
  readonly #link: WorkerLink<FromWorker, ToWorker>;
  readonly #parent: ActorRef<FromWorker>;
  readonly #actor: ActorRef<ToWorker>;
  #isStarted = false;

  constructor(
    create: WorkerActorFactory<ToWorker, FromWorker>,
    port: LinkPort,
    { name, init }: WorkerStart,
  ) {
    this.#system = new ActorSystem({
      clock: systemClock,
      random: systemRandom,
      newId: systemNewId,
      scheduler: new FairScheduler(nextTurn),
    });
    let onCredit = (): void => {};
    const link = new WorkerLink<FromWorker, ToWorker>({
      port,
      clock: systemClock,
      target: () => this.#actor,
      // The other end has more rights than this one, and is built from the same protocol.
      parse: (body) => body as ToWorker,
      onCredit: () => onCredit(),
      onSignal: (signal) => this.#onSignal(signal),
      onBroken: (error) => void this.report(error),
    });
    this.#link = link;
    this.#parent = this.#system.spawn<FromWorker>({
      name: "parent",
      create(context) {
        const incarnation = incarnationOf(context);
        onCredit = () => incarnation.release();
        return new LinkSender(incarnation, link);
      },
    });
    this.#actor = this.#system.spawn<ToWorker>({
      name,
      supervision: { restart: "never" },
      create: (context) => {
        const actor = create(context, this.#parent, init);
        this.#isStarted = true;
        return actor;
      },
    });
    this.#system.watch(this.#actor, (reason) => this.#onActorEnd(reason));
    this.#link.open();
    if (this.#isStarted) this.signal({ kind: "ready" });
  }

  signal(signal: Signal): void {
    this.#link.signal(signal);
  }

  /** Tells the other side of a failure, which will end this thread. */
  report(error: Error): boolean {
    this.signal({ kind: "fault", error: encodeError(error) });
    return true;
  }

  #onSignal(signal: Signal): void {
    if (signal.kind === "beat") {
      this.signal({ kind: "beat_back", deadLetters: this.#system.deadLetters });
    }
    if (signal.kind === "stop") void this.#system.stop(this.#actor, { mode: "drain" });
  }

  #onActorEnd(reason: StopReason): void {
    if (reason.type === "failed") this.report(reason.error);
    else void this.#sayGoodbye();
  }

  /** What the actor told its parent last goes first. */
  async #sayGoodbye(): Promise<void> {
    await this.#system.stop(this.#parent, { mode: "drain" });
    this.signal({ kind: "goodbye", farewell: "stopped" });
  }
}
