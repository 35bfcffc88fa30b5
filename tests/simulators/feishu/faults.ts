/**
 * Faults a test can plant in the platform's answers, one route at a time.
 * @module
 */

import type { JsonValue } from "../../../actors/kernel/json.ts";
import type { RouteName } from "./route.ts";

/**
 * What goes wrong with a request.
 * - `status`: an HTTP error without the platform's JSON (a proxy's 503 page), no effect
 * - `code`: a platform code, with HTTP 400 or 200, no effect
 * - `wait`: the request waits for `gate` (before or after its effect), then goes on as usual
 * - `silence`: no effect and no answer until somebody ends the connection
 * - `reset`: the connection ends before the effect
 * - `lost_answer`: the effect happens, then the connection ends
 * - `half_answer`: the effect happens, the answer ends in its middle
 * - `garbled_answer`: the effect happens, a proxy answers with a page of its own
 */
export type Fault =
  | {
    readonly kind: "status";
    readonly status: number;
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
  }
  | {
    readonly kind: "code";
    readonly code: number;
    readonly message?: string;
    /** @default 400 */
    readonly status?: number;
    /** Without it the answer has no `data` key. */
    readonly data?: JsonValue;
    readonly headers?: Readonly<Record<string, string>>;
  }
  | {
    readonly kind: "wait";
    readonly gate: Promise<unknown>;
    /** @default "before" */
    readonly at?: "before" | "after";
  }
  | { readonly kind: "silence" }
  | { readonly kind: "reset" }
  | { readonly kind: "lost_answer" }
  | { readonly kind: "half_answer" }
  | { readonly kind: "garbled_answer" };

/** How often a fault strikes. */
export interface FaultOptions {
  /** Use `Infinity` for "until removed". @default 1 */
  readonly times?: number;
  /** Strikes only requests whose path (with query) and body text satisfy it. */
  readonly when?: (path: string, bodyText: string) => boolean;
}

/** A fault that was planted. */
export interface PlantedFault {
  /** How often it struck so far. */
  readonly strikes: number;
  remove(): void;
}

interface Planted {
  readonly route: RouteName | "*";
  readonly fault: Fault;
  readonly when: (path: string, bodyText: string) => boolean;
  strikes: number;
  timesLeft: number;
}

/** The planted faults; each request takes the oldest one that fits. */
export class Faults {
  readonly #planted: Planted[] = [];

  /** Plants a fault for a route, or for all with `"*"`. */
  plant(
    route: RouteName | "*",
    fault: Fault,
    { times = 1, when = () => true }: FaultOptions = {},
  ): PlantedFault {
    const planted: Planted = { route, fault, when, strikes: 0, timesLeft: times };
    this.#planted.push(planted);
    return {
      get strikes() {
        return planted.strikes;
      },
      remove: () => void (planted.timesLeft = 0),
    };
  }

  /** Removes all of them. */
  clear(): void {
    for (const planted of this.#planted) planted.timesLeft = 0;
    this.#planted.length = 0;
  }

  /** The fault that strikes this request, counted as used. */
  take(route: RouteName, path: string, bodyText: string): Fault | undefined {
    const planted = this.#planted.find((candidate) =>
      candidate.timesLeft > 0 && (candidate.route === "*" || candidate.route === route) &&
      candidate.when(path, bodyText)
    );
    if (planted === undefined) return undefined;
    planted.timesLeft--;
    planted.strikes++;
    return planted.fault;
  }
}
