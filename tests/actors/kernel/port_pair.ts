/**
 * Two ends of a port inside one thread, for links without Workers.
 * @module
 */

import type { Envelope } from "../../../actors/kernel/worker_envelope.ts";
import type { LinkPort } from "../../../actors/kernel/worker_link.ts";

/** One end, and what a test may look at. */
export interface TestPort extends LinkPort {
  /** What this end has posted, as it was cloned. */
  readonly posted: Envelope[];
  /** Hands `data` to this end's listener, as the other end would. */
  receive(data: unknown): void;
  readonly isClosed: boolean;
}

/** Two ends; what one posts, the other gets a microtask later, as a structured clone. */
export function portPair(): [TestPort, TestPort] {
  const left = endOfPort(() => right);
  const right = endOfPort(() => left);
  return [left, right];
}

function endOfPort(other: () => TestPort): TestPort {
  const posted: Envelope[] = [];
  const waiting: unknown[] = [];
  let listener: ((data: unknown) => void) | undefined;
  let isClosed = false;
  return {
    posted,
    get isClosed() {
      return isClosed;
    },
    post(envelope) {
      const clone = structuredClone(envelope);
      posted.push(clone);
      queueMicrotask(() => other().receive(clone));
    },
    receive(data) {
      if (isClosed) return;
      if (listener === undefined) waiting.push(data);
      else listener(data);
    },
    listen(onData) {
      listener = onData;
      for (const data of waiting.splice(0)) onData(data);
    },
    close() {
      isClosed = true;
    },
  };
}
