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
