/**
 * Faults that a test can plant in Slack's answers, one method at a time.
 * @module
 */

/**
 * What goes wrong with a call.
 * - `status`: an HTTP error without Slack's JSON (a proxy's 503 page), no effect
 * - `refusal`: Slack's `error`, no effect
 * - `lost_answer`: the effect happens, then the connection ends
 * - `half_answer`: the effect happens, the answer ends in its middle
 * - `garbled_answer`: the effect happens, a proxy answers with a page of its own
 * - `reset`: the connection ends before the effect
 */
export type Fault =
  | { readonly kind: "status"; readonly status: number }
  | {
    readonly kind: "refusal";
    readonly error: string;
    readonly needed?: string;
    /** With HTTP 429. */
    readonly retryAfterS?: number;
  }
  | { readonly kind: "lost_answer" | "half_answer" | "garbled_answer" }
  | { readonly kind: "reset" };

interface Planted {
  readonly methods: readonly string[];
  readonly fault: Fault;
  timesLeft: number;
}

/** The planted faults; each call takes the oldest one that fits. */
export class Faults {
  readonly #planted: Planted[] = [];

  /** Plants a fault for one of these methods. @param times `Infinity` for ever @default 1 */
  plant(methods: string | readonly string[], fault: Fault, times = 1): void {
    const list = typeof methods === "string" ? [methods] : methods;
    this.#planted.push({ methods: list, fault, timesLeft: times });
  }

  /** Removes all of them. */
  clear(): void {
    this.#planted.length = 0;
  }

  /** The fault that strikes this call, counted as used. */
  take(method: string): Fault | undefined {
    const planted = this.#planted.find(({ methods, timesLeft }) =>
      timesLeft > 0 && methods.includes(method)
    );
    if (planted !== undefined) planted.timesLeft--;
    return planted?.fault;
  }
}
