/**
 * Where the turn of a session stands: it waits for a permit, runs, or waits for room in a budget.
 * @module
 */

import type { Work } from "../kernel/actor.ts";
import type { Clock, Timer } from "../kernel/clock.ts";
import { invariant } from "../kernel/invariant.ts";
import type { NewId } from "../kernel/random.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { SpentBudget } from "./budgets.ts";
import type { GateMessage } from "./ports.ts";
import type { TurnPermit, TurnPermitOptions } from "./turn_permit.ts";
import { TurnStoppedError } from "./turn_stopped.ts";

/** A paused turn looks at the time this often: clocks are set, and machines sleep. */
const PAUSED_LOOK_MS = 10 * 60_000;

/** What a seat works with. */
export interface TurnSeatOptions {
  readonly sessionKey: string;
  readonly gate: ActorRef<GateMessage>;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Who is told of permits. */
  readonly holder: TurnPermitOptions["holder"];
  /** Of the turn that runs. */
  readonly permit: TurnPermit;
  /** Tells the session after a while that a paused turn may be due. */
  readonly startTimer: (delayMs: number) => Timer;
}

/**
 * idle: nothing is under way; queued: waits for a permit; running: a turn runs; paused: its turn
 * waits for room in a budget.
 */
type State =
  | { readonly state: "idle" }
  | {
    readonly state: "queued";
    readonly requestId: string;
    readonly isGranted: boolean;
    readonly isBackground: boolean;
  }
  | { readonly state: "running"; readonly work: Work }
  | { readonly state: "paused"; readonly budget: SpentBudget; readonly timer: Timer | undefined };

/** The one seat of a session. */
export class TurnSeat {
  readonly #options: TurnSeatOptions;
  #state: State = { state: "idle" };

  constructor(options: TurnSeatOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#state.state === "idle";
  }

  /** The permit is there, and the turn can begin. */
  get isReady(): boolean {
    return this.#state.state === "queued" && this.#state.isGranted;
  }

  /** What the turn waits for, if it is paused. */
  get paused(): SpentBudget | undefined {
    return this.#state.state === "paused" ? this.#state.budget : undefined;
  }

  /** Asks for a permit. @param isBackground nobody waits for the turn */
  queue(isBackground: boolean = false): void {
    const { gate, newId, holder } = this.#options;
    const requestId = newId();
    this.#state = { state: "queued", requestId, isGranted: false, isBackground };
    gate.tell({ type: "request_permit", requestId, holder, ...(isBackground && { isBackground }) });
  }

  /** Somebody waits for the turn now. */
  hurry(): void {
    if (this.#state.state !== "queued" || !this.#state.isBackground || this.#state.isGranted) {
      return;
    }
    this.#release(this.#state.requestId);
    this.queue();
  }

  /** A permit was granted; one that is no longer wanted goes back. */
  granted(requestId: string): void {
    if (this.#options.permit.take(requestId)) return;
    if (this.#state.state !== "queued" || this.#state.requestId !== requestId) {
      return this.#release(requestId);
    }
    this.#state = { ...this.#state, isGranted: true };
  }

  /** The turn begins, under the permit that was granted. */
  begin(run: () => Work): void {
    invariant(this.#state.state === "queued", "a permit was asked for");
    this.#options.permit.begin(this.#state.requestId);
    this.#state = { state: "running", work: run() };
  }

  /** The turn gave its permit back. */
  over(): void {
    invariant(this.#state.state === "running", "a turn was under way");
    this.#options.permit.end();
    this.#state = { state: "idle" };
  }

  /** The turn goes on when the budget has room again; or after a restart, which may bring more. */
  pause(budget: SpentBudget): void {
    const { clock, startTimer } = this.#options;
    const leftMs = (budget.resumesAtMs ?? Infinity) - clock.now();
    const timer = leftMs === Infinity ? undefined : startTimer(Math.min(leftMs, PAUSED_LOOK_MS));
    this.#state = { state: "paused", budget, timer };
  }

  /** A paused turn is looked at; true when it can go on. */
  resume(): boolean {
    const { paused } = this;
    if (paused === undefined) return false;
    const isDue = this.#options.clock.now() >= (paused.resumesAtMs ?? Infinity);
    if (isDue) this.#state = { state: "idle" };
    else this.pause(paused);
    return isDue;
  }

  /** Ends whatever the turn does; false when it runs, and its end has to be waited for. */
  clear(): boolean {
    if (this.#state.state === "running") {
      const text = `Stopped the turn of "${this.#options.sessionKey}": on request`;
      this.#state.work.abort(new TurnStoppedError(text));
      return false;
    }
    if (this.#state.state === "queued") this.#release(this.#state.requestId);
    if (this.#state.state === "paused") this.#state.timer?.cancel();
    this.#state = { state: "idle" };
    return true;
  }

  /** The session ends: nobody would know of its permits, and their holder lives on. */
  end(): void {
    if (this.#state.state === "queued") this.#release(this.#state.requestId);
    this.#options.permit.end();
  }

  #release(requestId: string): void {
    this.#options.gate.tell({ type: "release_permit", requestId });
  }
}
