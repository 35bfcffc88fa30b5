/**
 * Waiting that an abort ends, whatever the awaited work does with its signal.
 * @module
 */

/**
 * The outcome of `promise`, unless `signal` aborts first; what comes later is dropped.
 *
 * @throws the signal's reason when it aborts first
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * What `source` yields, until `signal` aborts. Whoever stops early does not wait for the source to
 * close: one that hangs would hang there as well.
 *
 * @throws the signal's reason when it aborts first
 */
export async function* eachUntilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const values = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value, done } = await untilAborted(values.next(), signal);
      if (done) return;
      yield value;
    }
  } finally {
    Promise.resolve(values.return?.()).catch(() => {});
  }
}
