/**
 * The life of a channel as it is reported: until it is stopped, or cannot go on.
 * @module
 */

import type { Logger } from "@logtape/logtape";
import { type Clock, sleep } from "../actors/kernel/clock.ts";
import { LinkedSignal } from "../actors/kernel/linked_signal.ts";
import type { Random } from "../actors/kernel/random.ts";
import { type ChannelContext, DeliveryError } from "./channel.ts";
import { networkWait } from "./network_wait.ts";

/**
 * Learns from failed calls that a platform no longer lets the bot in, where the connection over
 * which messages come does not end by that.
 */
export class Admittance {
  readonly #refusalOf: (error: unknown) => Error | null;
  readonly #end = new AbortController();

  /** @param refusalOf what to give up with; null for a failure that says nothing of the kind */
  constructor(refusalOf: (error: unknown) => Error | null) {
    this.#refusalOf = refusalOf;
  }

  /** Aborts with the refusal. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** A call failed, or something failed because of it. */
  note(error: unknown): void {
    const refusal = this.#refusalOf(error);
    if (refusal !== null) this.#end.abort(refusal);
    else if (error instanceof DeliveryError) this.note(error.cause);
  }
}

/**
 * Runs a channel, and reports that it connects, that it failed, or that it stopped.
 *
 * @param run ends when its signal aborts, however it does
 * @param admittance ends the run as well. @default nothing but `run` tells
 * @throws what `run` throws while the channel must not stop, or the refusal
 */
export async function reportedRun(
  { report, signal }: Pick<ChannelContext, "report" | "signal">,
  run: (signal: AbortSignal) => Promise<void>,
  admittance?: Pick<Admittance, "signal">,
): Promise<void> {
  report({ state: "connecting", detail: "Connecting" });
  const shutOut = admittance?.signal;
  using linked = new LinkedSignal(signal, ...(shutOut === undefined ? [] : [shutOut]));
  try {
    await run(linked.signal);
    shutOut?.throwIfAborted();
  } catch (error) {
    if (!signal.aborted) {
      const reason: unknown = shutOut?.aborted === true ? shutOut.reason : error;
      const detail = reason instanceof Error ? reason.message : String(reason);
      report({ state: "failed", detail });
      throw reason;
    }
  }
  report({ state: "stopped", detail: "Stopped" });
}

/** How a platform is asked until it answers. */
export interface AskingOptions {
  readonly context: Pick<ChannelContext, "report" | "signal"> & {
    readonly clock: Clock;
    readonly random: Random;
  };
  readonly logger: Logger;
  /** What to give up with, when the platform does not let the bot in; null for any other failure. */
  readonly refusalOf: (error: unknown) => Error | null;
  /** The wait that the platform asks for, in milliseconds. @default none */
  readonly toldWaitOf?: (error: unknown) => number;
}

/**
 * What `ask` gives, such as who the bot is, without which no message can be judged: asked for until
 * it is known.
 *
 * @throws what `refusalOf` gives, or the signal's reason
 */
export async function untilKnown<T>(
  ask: () => Promise<T>,
  { context, logger, refusalOf, toldWaitOf = () => 0 }: AskingOptions,
): Promise<T> {
  const { clock, random, signal } = context;
  for (let failures = 0;; failures++) {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      const refusal = refusalOf(error);
      if (refusal !== null) throw refusal;
      const waitMs = Math.max(networkWait(failures, random), toldWaitOf(error));
      const detail = error instanceof Error ? error.message : String(error);
      logger.warn("{detail}; trying again in {waitMs} ms", { detail, waitMs });
      context.report({ state: "connecting", detail });
      await sleep(clock, waitMs, signal);
    }
  }
}
