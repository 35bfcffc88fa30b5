/**
 * A command that ends leaves nothing of its conversation behind without a word: it waits for the
 * subagents that work there, or says what becomes of them.
 * @module
 */

import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import type { Terminal } from "./adapters/terminal.ts";
import type { ChatLine } from "./chat_line.ts";

/** How often it is looked whether they are done. */
const LOOK_MS = 200;

/** How it is waited. */
export interface SubagentWait {
  readonly terminal: Pick<Terminal, "writeError">;
  /** Past it they are left. */
  readonly limitMs: number;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** @default this machine's */
  readonly clock?: Clock;
}

/**
 * Waits until all are done and told of, where this process is theirs; a gateway goes on with them.
 *
 * @throws the signal's reason
 */
export async function waitForSubagents(
  line: Pick<ChatLine, "via" | "subagents">,
  { terminal, limitMs, signal, clock = systemClock }: SubagentWait,
): Promise<void> {
  let count = await line.subagents();
  if (count === 0) return;
  if (line.via === "gateway") {
    const text = `The gateway goes on with ${named(count)}; results will stand in the conversation`;
    return terminal.writeError(`${text}\n`);
  }
  const limit = `${Math.ceil(limitMs / 60_000)} min`;
  terminal.writeError(`Waiting for ${named(count)}, ${limit} at most; Ctrl-C ends them\n`);
  const untilMs = clock.now() + limitMs;
  while (count > 0 && clock.now() < untilMs) {
    await sleep(clock, LOOK_MS, signal);
    count = await line.subagents();
  }
  if (count === 0) return;
  terminal.writeError(`Ended ${named(count)} that took longer; the conversation will know\n`);
}

function named(count: number): string {
  return count === 1 ? "1 subagent" : `${count} subagents`;
}
