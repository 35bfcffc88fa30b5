/**
 * The server's word about messages that went out.
 * @module
 */

/** Waits for answers by the ids of messages. */
export class Acknowledgements {
  readonly #waiting = new Map<string, PromiseWithResolvers<number | null>>();

  /** The server's code against a message; null when it took it. */
  of(id: string): Promise<number | null> {
    const waiting = Promise.withResolvers<number | null>();
    waiting.promise.catch(() => {}); // the message may fail to go out before
    this.#waiting.set(id, waiting);
    return waiting.promise;
  }

  /** The server answered. @param error its code as it wrote it; undefined for none */
  take(id: string, error: string | undefined): void {
    this.#waiting.get(id)?.resolve(error === undefined ? null : Number(error) || 500);
  }

  /** Nobody waits any more. */
  drop(id: string): void {
    this.#waiting.delete(id);
  }

  /** No answer comes any more. */
  fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
