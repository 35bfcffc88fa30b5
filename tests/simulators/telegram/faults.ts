/**
 * Faults a test can plant in the platform's answers, one method at a time.
 * @module
 */

import type { JsonValue } from "../../../actors/kernel/json.ts";
import type { RefusalParameters } from "./refusal.ts";

/**
 * What goes wrong with a call.
 * - `status`: an HTTP error that is no answer of the Bot API (a proxy's page), no effect
 * - `refusal`: an answer that says no, no effect
 * - `reset`: the connection ends before the effect
 * - `lost_answer`: the effect happens, then the connection ends
 * - `half_answer`: the effect happens, the answer ends in its middle
 * - `garbled_answer`: the effect happens, a proxy answers with a page of its own
 * - `odd_answer`: the effect happens, the answer is JSON of another shape
 * - `wait`: the call waits for `gate`, then goes on as usual
 */
export type Fault =
  | { readonly kind: "status"; readonly status: number }
  | {
    readonly kind: "refusal";
    readonly code: number;
    readonly description: string;
    readonly parameters?: RefusalParameters;
  }
  | { readonly kind: "reset" }
  | { readonly kind: "lost_answer" | "half_answer" | "garbled_answer" }
  | { readonly kind: "odd_answer"; readonly body: JsonValue }
  | { readonly kind: "wait"; readonly gate: Promise<unknown> };

interface Planted {
  readonly matches: (method: string) => boolean;
  readonly fault: Fault;
  timesLeft: number;
}

/** The planted faults; each call takes the oldest one that fits. */
export class Faults {
  readonly #planted: Planted[] = [];

  /** @param method a name, or what names must match */
  plant(
    method: string | RegExp,
    fault: Fault,
    { times = 1 }: { readonly times?: number } = {},
  ): void {
    const matches = (name: string): boolean =>
      typeof method === "string" ? name === method : method.test(name);
    this.#planted.push({ matches, fault, timesLeft: times });
  }

  /** Removes all of them. */
  clear(): void {
    this.#planted.length = 0;
  }

  /** The fault that strikes this call, counted as used. */
  take(method: string): Fault | undefined {
    const planted = this.#planted.find(({ matches, timesLeft }) =>
      timesLeft > 0 && matches(method)
    );
    if (planted === undefined) return undefined;
    planted.timesLeft--;
    return planted.fault;
  }
}
