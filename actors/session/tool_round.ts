/**
 * The order in which the tool calls of one model answer run: neighbours that change nothing side
 * by side, all others alone.
 * @module
 */

import type { ToolConcurrency } from "../tools/tool.ts";
import type { RequestedCall } from "../../providers/provider.ts";

/** Calls that run at the same time at most: enough to hide waiting, few enough to stay fair. */
const SIDE_BY_SIDE_MAX = 8;

/** A call and its place in the model's answer. */
export interface PlacedCall {
  readonly requested: RequestedCall;
  readonly index: number;
}

/** What a round needs to know about its calls. */
export interface RoundOptions<R> {
  readonly concurrency: (toolName: string) => ToolConcurrency;
  /** Runs one call and records its result. Only an abort or a broken journal makes it reject. */
  readonly run: (call: PlacedCall, signal: AbortSignal) => Promise<R>;
  readonly signal: AbortSignal;
}

/**
 * Runs the calls of one answer. When one rejects, its neighbours are aborted and waited for, and
 * no further call starts.
 *
 * @returns what the calls gave, in their order
 * @throws what the first call to fail threw, or the signal's reason
 */
export async function runToolRound<R>(
  calls: readonly RequestedCall[],
  { concurrency, run, signal }: RoundOptions<R>,
): Promise<R[]> {
  const round = new AbortController();
  const either = AbortSignal.any([signal, round.signal]);
  const results = new Map<number, R>();
  for (const batch of batches(calls, concurrency)) {
    await runSideBySide(batch, async (call) => {
      either.throwIfAborted();
      try {
        results.set(call.index, await run(call, either));
      } catch (error) {
        round.abort(error);
        throw error;
      }
    });
  }
  return [...results].toSorted(([a], [b]) => a - b).map(([, result]) => result);
}

/** Adjacent shared calls in one batch, every other call in its own; order is kept. */
export function batches(
  calls: readonly RequestedCall[],
  concurrency: (toolName: string) => ToolConcurrency,
): PlacedCall[][] {
  const all: PlacedCall[][] = [];
  let shared: PlacedCall[] | undefined;
  for (const [index, requested] of calls.entries()) {
    const placed = { requested, index };
    const isShared = concurrency(requested.call.function.name) === "shared";
    if (isShared && shared !== undefined) {
      shared.push(placed);
      continue;
    }
    const batch = [placed];
    all.push(batch);
    shared = isShared ? batch : undefined;
  }
  return all;
}

async function runSideBySide(
  batch: readonly PlacedCall[],
  run: (call: PlacedCall) => Promise<void>,
): Promise<void> {
  const waiting = batch.values();
  const work = async () => {
    for (const call of waiting) await run(call);
  };
  const workers = Array.from({ length: Math.min(batch.length, SIDE_BY_SIDE_MAX) }, work);
  const ends = await Promise.allSettled(workers);
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
