/**
 * How a life of an actor ends: children first, newest first, then the actor itself.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Actor } from "./actor.ts";
import type { CellChild } from "./cell_extras.ts";
import type { Clock } from "./clock.ts";
import { asError } from "./errors.ts";

const logger = getLogger(["troupe", "kernel", "ending"]);

/** What ends. */
export interface Ending {
  readonly name: string;
  readonly clock: Clock;
  /** Longest wait for `stopped()`. */
  readonly shutdownMs: number;
  readonly children: () => Iterable<CellChild>;
  /** Takes the actor out of its cell, so that it ends once. */
  readonly takeActor: () => Pick<Actor<never>, "stopped"> | undefined;
}

/**
 * Stops the children, then calls `stopped()`, never inside a handler; resolves when that is done
 * or has taken too long. What goes wrong is logged, as nobody is left to act on it.
 */
export async function endActor(ending: Ending): Promise<void> {
  await Promise.resolve();
  for (const child of [...ending.children()].reverse()) await child.stop({});
  try {
    await stoppedInTime(ending, ending.takeActor()?.stopped?.());
  } catch (thrown) {
    const { message } = asError(thrown);
    logger.error("Ended {actor} although its stopped() failed: {message}", {
      actor: ending.name,
      message,
    });
  }
}

async function stoppedInTime(ending: Ending, stopped: void | Promise<void>): Promise<void> {
  if (stopped === undefined) return;
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  const timer = ending.clock.setTimer(ending.shutdownMs, () => resolve("late"));
  try {
    if (await Promise.race([stopped, late]) !== "late") return;
    logger.warn("Ended {actor} although its stopped() took over {shutdownMs} ms", {
      actor: ending.name,
      shutdownMs: ending.shutdownMs,
    });
  } finally {
    timer.cancel();
  }
}
