/**
 * Faults a test can plant in the platform's answers, one path at a time.
 * @module
 */

/**
 * What goes wrong with a call.
 * - `status`: an HTTP error that is no answer of the API (a proxy's page), no effect
 * - `refusal`: an answer that says no, no effect
 * - `reset`: the connection ends before the effect
 * - `lost_answer`: the effect happens, then the connection ends
 * - `half_answer`: the effect happens, the answer ends in its middle
 * - `garbled_answer`: the effect happens, a proxy answers with a page of its own
 * - `wait`: the call waits for `gate`, then goes on as usual
 */
export type Fault =
  | { readonly kind: "status"; readonly status: number }
  | {
    readonly kind: "refusal";
    readonly status: number;
    readonly code: string;
    readonly retryAfterS?: number;
  }
  | { readonly kind: "reset" | "lost_answer" | "half_answer" | "garbled_answer" }
  | { readonly kind: "wait"; readonly gate: Promise<unknown> };

interface Planted {
  readonly path: RegExp;
  readonly fault: Fault;
  timesLeft: number;
}

/** The planted faults; each call takes the oldest one that fits. */
export class Faults {
  readonly #planted: Planted[] = [];

  /** @param path what paths must match */
  plant(path: RegExp, fault: Fault, { times = 1 }: { readonly times?: number } = {}): void {
    this.#planted.push({ path, fault, timesLeft: times });
  }

  /** The fault that strikes this call, counted as used. */
  take(path: string): Fault | undefined {
    const planted = this.#planted.find((one) => one.timesLeft > 0 && one.path.test(path));
    if (planted === undefined) return undefined;
    planted.timesLeft--;
    return planted.fault;
  }
}
