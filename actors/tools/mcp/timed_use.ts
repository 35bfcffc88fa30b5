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
  /** Nothing is left in doubt when it ends without an answer. */
  readonly isReadOnly: boolean;
  /** @default nobody is told */
  readonly onProgress?: ((progress: McpProgress) => void) | undefined;
}

/** What the model must know of a call that broke off, before it repeats it. */
export const IN_DOUBT = "; it is not known whether the call took effect";
/** Of the words with which a server says how far it has come. */
const WORDS_CHARS_MAX = 100;

/** @throws {McpError} `mcp_timed_out` or what the connection throws; the signal's reason */
export async function timedUse(
  connection: McpConnection,
  use: McpUse,
  { clock, silenceMs, signal, isReadOnly, onProgress: tell }: TimedUseOptions,
): Promise<McpAnswer> {
  const late = new AbortController();
  let latest: McpProgress | undefined;
  const start = (): Timer =>
    clock.setTimer(silenceMs, () => {
      const doubt = isReadOnly ? "" : IN_DOUBT;
      const text = `no answer within ${silenceMs / 1_000} s${progressText(latest)}${doubt}`;
      late.abort(new McpError("mcp_timed_out", `Cannot finish the call: ${text}`));
    });
  let timer = start();
  const onProgress = (progress: McpProgress) => {
    latest = progress;
    timer.cancel();
    if (late.signal.aborted) return;
    timer = start();
    tell?.(progress);
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
  return latest === undefined ? "" : `; it had come to ${progressWords(latest)}`;
}

/** How far a use has come: `3 of 9 (the server's words)`. */
export function progressWords({ progress, total, message }: McpProgress): string {
  const words = message === "" ? "" : ` (${message.slice(0, WORDS_CHARS_MAX).toWellFormed()})`;
  return `${progress}${total === null ? "" : ` of ${total}`}${words}`;
}
