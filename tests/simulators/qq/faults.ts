/**
 * Faults a test can plant in the platform's answers, one route at a time.
 * @module
 */

/** What can be called. */
export type Route = "token" | "gateway" | "message" | "upload" | "download";

/**
 * What goes wrong with a call.
 * - `status`: an HTTP error that is no answer of the platform's, no effect
 * - `refusal`: an answer that says no, no effect
 * - `lost_answer`, `half_answer`: the effect happens, the answer is lost, or ends in its middle
 * - `garbled_answer`: the effect happens, a proxy answers with a page of its own
 */
export type Fault =
  | { readonly kind: "status"; readonly status: number }
  | {
    readonly kind: "refusal";
    readonly code: number;
    /** @default 400 */
    readonly status?: number;
    readonly retryAfterSeconds?: number;
  }
  | { readonly kind: "lost_answer" | "half_answer" | "garbled_answer" };

/** The planted faults; each call takes the oldest one that fits. */
export class Faults {
  readonly #planted: { readonly route: Route; readonly fault: Fault }[] = [];

  /** Strikes the next `times` calls of a route. */
  plant(route: Route, fault: Fault, times: number = 1): void {
    for (let index = 0; index < times; index++) this.#planted.push({ route, fault });
  }

  /** The fault that strikes this call, which is used up. */
  take(route: Route): Fault | undefined {
    const at = this.#planted.findIndex((planted) => planted.route === route);
    return at < 0 ? undefined : this.#planted.splice(at, 1)[0]?.fault;
  }
}
