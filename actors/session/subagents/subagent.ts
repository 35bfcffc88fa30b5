/**
 * The actor of one subagent, a child of the session that started it. It waits for a place, works
 * beside its mailbox, hands its report over, and stops.
 * @module
 */

import type { Actor, ActorContext, ActorDefinition, Outcome, Work } from "../../kernel/actor.ts";
import { asError, GatewayError } from "../../kernel/errors.ts";
import { invariant, unreachable } from "../../kernel/invariant.ts";
import type { ActorRef } from "../../kernel/ref.ts";
import { currentTrace, withTrace } from "../../kernel/trace.ts";
import { WorkBeside } from "../../kernel/work_beside.ts";
import type { GateMessage, PermitNews } from "../ports.ts";
import { TurnPermit } from "../turn_permit.ts";
import { brokenReport, type SubagentReport } from "./report.ts";
import { SubagentRun, type SubagentRunOptions } from "./subagent_run.ts";

/** A run that is aborted, and what it has in the journal's hands, must end within this. */
const SHUTDOWN_MS = 10_000;

/** What a subagent understands. */
export type SubagentMessage =
  | PermitNews
  | { readonly type: "time_up" }
  | { readonly type: "work_ended"; readonly outcome: Outcome<void> };

/** What a subagent is made of. */
export interface SubagentOptions extends SubagentRunOptions {
  /** Where it has a place while it runs. */
  readonly places: ActorRef<GateMessage>;
  /** Hands its report over. @throws when it cannot be handed over at all */
  readonly deliver: (report: SubagentReport, signal: AbortSignal) => Promise<void>;
}

/** Its time is up. */
class SubagentTimeUpError extends GatewayError {
  override readonly name = "SubagentTimeUpError";
  readonly code = "subagent_time_up";
  readonly recovery = "give_up";
}

/** Defines a subagent. It is not started again: whoever watches it reports that it broke. */
export function subagentActor(options: SubagentOptions): ActorDefinition<SubagentMessage> {
  return {
    name: `subagent-${options.status.task.id}`,
    supervision: { restart: "never" },
    shutdownMs: SHUTDOWN_MS,
    create: (context) => new Subagent(context, options),
  };
}

class Subagent implements Actor<SubagentMessage> {
  readonly #context: ActorContext<SubagentMessage>;
  readonly #options: SubagentOptions;
  readonly #beside: WorkBeside<SubagentMessage>;
  readonly #permit: TurnPermit;
  readonly #placeId: string;
  /** Of the turn that started it. */
  readonly #trace = currentTrace();
  #work: Work | undefined;

  constructor(context: ActorContext<SubagentMessage>, options: SubagentOptions) {
    const { services: { gate, newId }, places } = options;
    const holder = context.self;
    this.#context = context;
    this.#options = options;
    this.#beside = new WorkBeside(context);
    this.#permit = new TurnPermit({ gate, newId, holder, isBackground: true });
    this.#placeId = newId();
    places.tell({ type: "request_permit", requestId: this.#placeId, holder });
  }

  receive(message: SubagentMessage): void {
    switch (message.type) {
      case "permit_granted":
        return this.#permitGranted(message.requestId);
      case "permit_delayed":
        return; // it has time
      case "time_up":
        return this.#timeUp();
      case "work_ended":
        return this.#workEnded(message.outcome);
      default:
        return unreachable(message);
    }
  }

  /** What it holds of gate and places comes back by itself, as its holder ends. */
  async stopped(): Promise<void> {
    await this.#beside.ended();
    this.#permit.end();
  }

  #permitGranted(requestId: string): void {
    if (requestId === this.#placeId) return this.#begin();
    if (this.#permit.take(requestId)) return;
    this.#options.services.gate.tell({ type: "release_permit", requestId });
  }

  #begin(): void {
    invariant(this.#work === undefined, "a subagent begins once");
    this.#context.after(this.#options.rules.timeoutMs, { type: "time_up" });
    this.#work = withTrace(this.#trace, () =>
      this.#beside.pipe(
        (signal) => this.#runAndDeliver(signal),
        (outcome) => ({ type: "work_ended", outcome }),
      ));
  }

  #timeUp(): void {
    this.#work?.abort(new SubagentTimeUpError("Stopped a subagent: its time is up"));
  }

  #workEnded(outcome: Outcome<void>): void {
    if (outcome.state === "failed") throw outcome.error;
    this.#context.stopSelf();
  }

  async #runAndDeliver(signal: AbortSignal): Promise<void> {
    const run = new SubagentRun(this.#options, this.#permit);
    const report = await this.#reportOf(run, signal);
    await this.#options.deliver(report, this.#context.signal);
  }

  /** @throws what ends this actor: nobody waits for its report then */
  async #reportOf(run: SubagentRun, signal: AbortSignal): Promise<SubagentReport> {
    try {
      return await run.run(signal);
    } catch (thrown) {
      this.#context.signal.throwIfAborted();
      if (!signal.aborted) return brokenReport(asError(thrown).message);
      const minutes = Math.round(this.#options.rules.timeoutMs / 6_000) / 10;
      return run.incomplete(`Its time was up after ${minutes} minutes.`);
    }
  }
}
