/**
 * The asks that an actor has not answered yet.
 * @module
 */

import type { FailAsk } from "./ask.ts";
import type { AskFailure } from "./errors.ts";

/** Lets asks fail as soon as it is clear that their actor will not answer them. */
export class OpenAsks {
  readonly #failures = new Map<unknown, FailAsk>();

  /** Remembers the ask that `message` carries. */
  add(message: unknown, fail: FailAsk): void {
    this.#failures.set(message, fail);
  }

  /** Forgets an ask that has ended. */
  delete(message: unknown): void {
    this.#failures.delete(message);
  }

  /** Fails the ask that `message` carries, if it carries one. */
  fail(message: unknown, code: AskFailure, why: string, cause?: Error): void {
    this.#failures.get(message)?.(code, why, cause);
  }

  /** Fails all asks but those whose messages still wait. */
  failAllBut(waiting: Iterable<unknown>, code: AskFailure, why: string, cause?: Error): void {
    if (this.#failures.size === 0) return;
    const kept = new Set(waiting);
    for (const [message, fail] of [...this.#failures]) {
      if (!kept.has(message)) fail(code, why, cause);
    }
  }
}
