/**
 * Asking: a tell whose answer comes back as a promise.
 * @module
 */

import type { Clock } from "./clock.ts";
import { AskError, type AskFailure } from "./errors.ts";
import type { AskOptions, ReplyTo, TellResult } from "./ref.ts";

/** Lets an ask fail early: `why` ends the sentence `Cannot ask "<name>": …`. */
export type FailAsk = (code: AskFailure, why: string, cause?: Error) => void;

/** What an ask needs to know about the asked. */
export interface AskTarget<M> {
  readonly name: string;
  readonly clock: Clock;
  /** Tells the message; `fail` ends the ask if it becomes clear that nobody will answer. */
  tell(message: M, fail: FailAsk): TellResult;
  /** Called once when the ask has ended, whichever way; `fail` does nothing from then on. */
  settled?(message: M): void;
}

/** A reply port that knows whether an answer still matters. */
export class ReplyPort<R> implements ReplyTo<R> {
  readonly #answer: (answer: R) => void;
  readonly #fail: (error: Error) => void;
  #isSettled = false;

  constructor(answer: (answer: R) => void, fail: (error: Error) => void) {
    this.#answer = answer;
    this.#fail = fail;
  }

  /** The ask has ended: answered, refused, timed out or aborted. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  reply(answer: R): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#answer(answer);
  }

  refuse(error: Error): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#fail(error);
  }
}

/**
 * Tells `target` a message built around a reply port and waits for the first answer.
 *
 * @throws {AskError} when the message was not taken or not handled, or no answer came in time
 */
export function askTarget<M, R>(
  target: AskTarget<M>,
  makeMessage: (replyTo: ReplyTo<R>) => M,
  { timeoutMs, signal }: AskOptions,
): Promise<R> {
  const { promise, resolve, reject } = Promise.withResolvers<R>();
  const port = new ReplyPort<R>(
    (answer) => {
      clear();
      resolve(answer);
    },
    (error) => {
      clear();
      reject(error);
    },
  );
  const fail: FailAsk = (code, why, cause) =>
    port.refuse(new AskError(code, `Cannot ask "${target.name}": ${why}`, { cause }));
  const abort = () => fail("ask_aborted", "the asker gave up");
  if (signal?.aborted) {
    reject(new AskError("ask_aborted", `Cannot ask "${target.name}": the asker gave up`));
    return promise;
  }
  const message = makeMessage(port);
  const timer = target.clock.setTimer(
    timeoutMs,
    () => fail("ask_timeout", `no answer within ${timeoutMs} ms`),
  );
  function clear(): void {
    timer.cancel();
    signal?.removeEventListener("abort", abort);
    target.settled?.(message);
  }
  signal?.addEventListener("abort", abort, { once: true });
  const taken = target.tell(message, fail);
  if (taken === "full") fail("ask_refused", "its mailbox is full");
  if (taken === "closed") fail("ask_closed", "it has stopped");
  return promise;
}
