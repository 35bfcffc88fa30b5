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
  using _listening = onAbort(signal, () => reject(signal.reason));
  return await Promise.race([aborted, promise]);
}

/** Calls back when the signal aborts, at once where it has, until it is disposed of. */
export function onAbort(signal: AbortSignal, callback: () => void): Disposable {
  if (signal.aborted) callback();
  else signal.addEventListener("abort", callback, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", callback) };
}

/** Resolves when the signal aborts. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  onAbort(signal, resolve);
  return promise;
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
  let giveUp = (_reason: unknown): void => {};
  using _listening = onAbort(signal, () => giveUp(signal.reason));
  try {
    for (;;) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<T>>();
      giveUp = reject;
      values.next().then(resolve, reject);
      const { value, done } = await promise;
      if (done) return;
      yield value;
    }
  } finally {
    Promise.resolve(values.return?.()).catch(() => {});
  }
}
