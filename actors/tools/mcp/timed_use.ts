/**
 * A use with a time limit that counts anew whenever the server reports progress.
 * @module
 */

import type { Clock, Timer } from "../../kernel/clock.ts";
import { LinkedSignal } from "../../kernel/linked_signal.ts";
import { untilAborted } from "../../kernel/aborting.ts";
import { type McpConnection, McpError, type McpProgress, type McpUse } from "./connection.ts";
import type { McpAnswer } from "./wire.ts";

/** How a use is timed. */
export interface TimedUseOptions {
  readonly clock: Clock;
  /** Longest time without an answer or any progress. */
  readonly silenceMs: number;
  readonly signal: AbortSignal;
}

/** @throws {McpError} `mcp_timed_out` or what the connection throws; the signal's reason */
export async function timedUse(
  connection: McpConnection,
  use: McpUse,
  { clock, silenceMs, signal }: TimedUseOptions,
): Promise<McpAnswer> {
  const late = new AbortController();
  let latest: McpProgress | undefined;
  const start = (): Timer =>
    clock.setTimer(silenceMs, () => {
      const text = `no answer within ${silenceMs / 1_000} s${progressText(latest)}`;
      late.abort(new McpError("mcp_timed_out", `Cannot finish the call: ${text}`));
    });
  let timer = start();
  const onProgress = (progress: McpProgress) => {
    latest = progress;
    timer.cancel();
    if (!late.signal.aborted) timer = start();
  };
  using linked = new LinkedSignal(signal, late.signal);
  try {
    const using = connection.use(use, { signal: linked.signal, onProgress });
    return await untilAborted(using, linked.signal);
  } finally {
    timer.cancel();
  }
}

function progressText(latest: McpProgress | undefined): string {
  if (latest === undefined) return "";
  const { progress, total, message } = latest;
  const words = message === "" ? "" : ` (${message.slice(0, 100)})`;
  return `; it had come to ${progress}${total === null ? "" : ` of ${total}`}${words}`;
}
