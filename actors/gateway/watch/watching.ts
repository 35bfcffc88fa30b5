/**
 * Watches the work of a gateway: counts it, names it in the log, gives it to a tracer where there is
 * one, and knows what is under way.
 * @module
 */

import type { Clock } from "../../kernel/clock.ts";
import { currentTrace, withTrace } from "../../kernel/trace.ts";
import type { Activity, ActivityEnd, Watch, WatchedActivity } from "../../session/watch.ts";

/** What a tracer keeps of an activity while it is under way. */
export interface Span {
  run<T>(work: () => T): T;
  end(end: ActivityEnd): void;
}

/** Gives activities to a system that draws traces. */
export interface Tracer {
  begin(activity: Activity, trace: string | undefined): Span;
}

/** An activity that has not ended. */
export interface OpenActivity {
  readonly activity: Activity;
  /** The turn that it belongs to; undefined outside of turns. */
  readonly trace: string | undefined;
  /** Epoch milliseconds. */
  readonly sinceMs: number;
}

/** What watching needs. */
export interface WatchingOptions {
  readonly clock: Clock;
  readonly onEnd: (activity: Activity, end: ActivityEnd, durationMs: number) => void;
  /** @default there is none */
  readonly tracer?: Tracer | undefined;
}

/** One for each gateway. */
export class Watching implements Watch {
  readonly #options: WatchingOptions;
  readonly #open = new Set<OpenActivity>();

  constructor(options: WatchingOptions) {
    this.#options = options;
  }

  /** What is under way, the oldest first. */
  get open(): readonly OpenActivity[] {
    return [...this.#open];
  }

  begin(activity: Activity): WatchedActivity {
    const { clock, tracer, onEnd } = this.#options;
    const trace = activity.kind === "turn" ? activity.turnId : currentTrace();
    const opened = { activity, trace, sinceMs: clock.now() };
    const span = tracer?.begin(activity, trace);
    this.#open.add(opened);
    return {
      run: (work) => withTrace(trace, () => span === undefined ? work() : span.run(work)),
      end: (end) => {
        if (!this.#open.delete(opened)) return;
        span?.end(end);
        onEnd(activity, end, clock.now() - opened.sinceMs);
      },
    };
  }
}
