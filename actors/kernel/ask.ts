/**
 * Asking: a tell whose answer comes back as a promise.
 * @module
 */

import type { Clock } from "./clock.ts";
import { AskError } from "./errors.ts";
import type { AskOptions, ReplyTo, TellResult } from "./ref.ts";

/** What an ask needs to know about the asked. */
export interface AskTarget<M> {
  readonly name: string;
  readonly clock: Clock;
  tell(message: M): TellResult;
}

/**
 * Tells `target` a message built around a reply port and waits for the first answer.
 *
 * @throws {AskError} when the message was not taken, or no answer came in time
 */
export function askTarget<M, R>(
  target: AskTarget<M>,
  makeMessage: (replyTo: ReplyTo<R>) => M,
  { timeoutMs, signal }: AskOptions,
): Promise<R> {
  const { promise, resolve, reject } = Promise.withResolvers<R>();
  const fail = (code: AskError["code"], why: string) =>
    settle(() => reject(new AskError(code, `Cannot ask "${target.name}": ${why}`)));
  const abort = () => fail("ask_aborted", "the asker gave up");
  const timer = target.clock.setTimer(
    timeoutMs,
    () => fail("ask_timeout", `no answer within ${timeoutMs} ms`),
  );
  function settle(finish: () => void): void {
    timer.cancel();
    signal?.removeEventListener("abort", abort);
    finish();
  }
  if (signal?.aborted) {
    abort();
    return promise;
  }
  signal?.addEventListener("abort", abort, { once: true });
  const taken = target.tell(makeMessage({
    reply: (answer: R) => settle(() => resolve(answer)),
    refuse: (error: Error) => settle(() => reject(error)),
  }));
  if (taken === "full") fail("ask_refused", "its mailbox is full");
  if (taken === "closed") fail("ask_closed", "it has stopped");
  return promise;
}
