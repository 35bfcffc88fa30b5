/**
 * An abort signal that others abort, for as long as one piece of work lasts.
 * @module
 */

/**
 * Aborts as soon as one of its sources does, with that one's reason; disposing of it lets the
 * sources go. `AbortSignal.any` leaves a little behind in each source at every call, for good:
 * beside a source that lives as long as the program, link.
 */
export class LinkedSignal implements Disposable {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #onAbort = (event: Event): void => this.#abort(event.target);

  constructor(...sources: readonly AbortSignal[]) {
    this.#sources = sources;
    const aborted = sources.find((source) => source.aborted);
    if (aborted !== undefined) this.#controller.abort(aborted.reason);
    else for (const source of sources) source.addEventListener("abort", this.#onAbort);
  }

  /** What the work takes. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on the sources reach it no more. */
  [Symbol.dispose](): void {
    for (const source of this.#sources) source.removeEventListener("abort", this.#onAbort);
  }

  #abort(source: EventTarget | null): void {
    this[Symbol.dispose]();
    if (source instanceof AbortSignal) this.#controller.abort(source.reason);
  }
}
