/**
 * Bytes on their way through a stream that takes whatever it is given: who gives them waits while
 * there are too many.
 * @module
 */

import { untilAborted } from "../../../actors/kernel/aborting.ts";

/** Between one who gives and one who takes. */
export class BytesAhead {
  readonly #bytesMax: number;
  #ahead = 0;
  #room: PromiseWithResolvers<void> | undefined;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** More was given. Resolves when there is room for more. @throws the signal's reason when it aborts */
  async gave(bytes: number, signal: AbortSignal): Promise<void> {
    this.#ahead += bytes;
    while (this.#ahead > this.#bytesMax) {
      this.#room ??= Promise.withResolvers<void>();
      await untilAborted(this.#room.promise, signal);
    }
  }

  /** So much was taken. */
  took(bytes: number): void {
    this.#ahead -= bytes;
    if (this.#ahead > this.#bytesMax) return;
    this.#room?.resolve();
    this.#room = undefined;
  }
}
