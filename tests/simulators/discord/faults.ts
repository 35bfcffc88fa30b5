/**
 * Faults a test can plant in the platform's answers.
 * @module
 */

/**
 * - `status`: an HTTP error without JSON (a proxy's page), no effect
 * - `code`: an error of the platform, no effect
 * - `rate`: refused for its rate, no effect
 * - `lost_answer`: the effect happens, then the connection ends
 * - `half_answer`: the effect happens, the answer ends in its middle
 * - `garbled_answer`: the effect happens, a proxy answers with a page of its own
 * - `wait`: the call waits for `gate` before it has any effect
 */
export type Fault =
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "code"; readonly status: number; readonly code: number }
  | { readonly kind: "rate"; readonly retryAfterMs: number; readonly isForAll?: boolean }
  | { readonly kind: "lost_answer" | "half_answer" | "garbled_answer" }
  | { readonly kind: "wait"; readonly gate: Promise<unknown> };

interface Planted {
  readonly route: string;
  readonly fault: Fault;
  timesLeft: number;
}

/** The planted faults; each call takes the oldest one that fits. */
export class Faults {
  readonly #planted: Planted[] = [];

  /** Plants a fault for a route. @param times `Infinity` for "until cleared" */
  plant(route: string, fault: Fault, times = 1): void {
    this.#planted.push({ route, fault, timesLeft: times });
  }

  /** Removes all of them. */
  clear(): void {
    this.#planted.length = 0;
  }

  /** The fault that strikes a call, counted as used. */
  take(route: string): Fault | undefined {
    const planted = this.#planted.find((one) => one.timesLeft > 0 && one.route === route);
    if (planted === undefined) return undefined;
    planted.timesLeft--;
    return planted.fault;
  }
}
