/**
 * The life of a channel as it is reported: until it is stopped, or cannot go on.
 * @module
 */

import type { Logger } from "@logtape/logtape";
import { type Clock, sleep } from "../actors/kernel/clock.ts";
import type { Random } from "../actors/kernel/random.ts";
import type { ChannelContext } from "./channel.ts";
import { networkWait } from "./network_wait.ts";

/**
 * Runs a channel, and reports that it connects, that it failed, or that it stopped.
 *
 * @param run ends when the context's signal aborts, however it does
 * @throws what `run` throws while the channel must not stop
 */
export async function reportedRun(
  { report, signal }: Pick<ChannelContext, "report" | "signal">,
  run: () => Promise<void>,
): Promise<void> {
  report({ state: "connecting", detail: "Connecting" });
  try {
    await run();
  } catch (error) {
    if (!signal.aborted) {
      const detail = error instanceof Error ? error.message : String(error);
      report({ state: "failed", detail });
      throw error;
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
