/**
 * Notices a turn that does the same things again and again and gets the same for it.
 * @module
 */

import { createHash } from "node:crypto";
import type { RequestedCall, ToolMessage } from "../../providers/provider.ts";

/** Rounds of tools in a row in which nothing is new: more is no attempt, but a loop. */
const STALE_ROUNDS_MAX = 8;
/** A round that takes its time waits for something; looking again is what waiting is. */
const WAITING_MS = 1_000;
/** Tools that look how something gets on; they may look as often as they like. */
const POLLING: ReadonlySet<string> = new Set(["write_stdin", "list_exec_sessions"]);
/** Long results stand in files of their own, whose names say nothing. */
const RESULT_FILE = /tool-results\S{1,300}/g;

/** A round of tools that is over. */
export interface FinishedRound {
  readonly calls: readonly RequestedCall[];
  /** In the order of the calls. */
  readonly results: readonly ToolMessage[];
  readonly tookMs: number;
}

/** Watches one turn. */
export class ProgressGuard {
  /** Digests of rounds; as many as a turn has rounds. */
  readonly #seen = new Set<string>();
  #staleRounds = 0;

  /** Counts a round; true when the turn has made no progress for too long. */
  isStuck(round: FinishedRound): boolean {
    const digest = digestOf(round);
    if (!this.#seen.has(digest)) {
      this.#seen.add(digest);
      this.#staleRounds = 0;
    } else if (!isWaiting(round)) {
      this.#staleRounds++;
    }
    return this.#staleRounds >= STALE_ROUNDS_MAX;
  }

  /** Somebody said something new. */
  reset(): void {
    this.#seen.clear();
    this.#staleRounds = 0;
  }
}

/** What failed is not waited for. */
function isWaiting({ results, tookMs }: FinishedRound): boolean {
  return tookMs >= WAITING_MS ||
    results.some(({ name, content }) =>
      POLLING.has(name) && !(typeof content === "string" && content.startsWith("Error:"))
    );
}

function digestOf({ calls, results }: FinishedRound): string {
  const asked = calls.map(({ call, parsed }) => [
    call.function.name,
    parsed.state === "ok" ? parsed.value : call.function.arguments,
  ]);
  const text = JSON.stringify([asked, results.map(({ content }) => content)]);
  return createHash("sha256").update(text.replaceAll(RESULT_FILE, "")).digest("base64");
}
