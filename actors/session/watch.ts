/**
 * What is watched of the work on messages: turns and, within them, calls of models and tools, and
 * deliveries. Who watches, and whether anybody does, is no matter of those who work.
 * @module
 */

import type { Answerer, Usage } from "../../providers/provider.ts";
import { withTrace } from "../kernel/trace.ts";

/** Something that takes time. */
export type Activity =
  | { readonly kind: "turn"; readonly turnId: string; readonly sessionKey: string }
  | { readonly kind: "model_call"; readonly provider: string; readonly model: string }
  | { readonly kind: "tool_call"; readonly tool: string }
  | { readonly kind: "delivery"; readonly channel: string };

/** How it ended. */
export interface ActivityEnd {
  /** One of few words, such as `done`, or the code of an error. */
  readonly outcome: string;
  /** Of a model call: what it used, where its provider told. */
  readonly usage?: Usage | null;
  /** Of a model call: who answered, where it was not the one that was asked. */
  readonly by?: Answerer;
  /** Of a model call: how often it was tried again. */
  readonly retries?: number;
}

/** An activity that is under way. */
export interface WatchedActivity {
  /** Runs a piece of it: what begins in there belongs to it. */
  run<T>(work: () => T): T;
  /** It is over; said once. */
  end(end: ActivityEnd): void;
}

/** Whoever watches. It never throws, and never waits. */
export interface Watch {
  begin(activity: Activity): WatchedActivity;
}

/** Nobody watches; turns are named in the log all the same. */
export const UNWATCHED: Watch = {
  begin: (activity) => ({
    run: (work) => withTrace(activity.kind === "turn" ? activity.turnId : undefined, work),
    end: () => {},
  }),
};

/** Runs all of an activity; `endOf` says how it ended, of what it gave or threw. */
export async function during<T>(
  watch: Watch,
  activity: Activity,
  { work, ended, broke }: {
    readonly work: () => Promise<T>;
    readonly ended: (value: T) => ActivityEnd;
    readonly broke: (thrown: unknown) => ActivityEnd;
  },
): Promise<T> {
  const watched = watch.begin(activity);
  let end: ActivityEnd | undefined;
  try {
    const value = await watched.run(work);
    end = ended(value);
    return value;
  } catch (thrown) {
    end = broke(thrown);
    throw thrown;
  } finally {
    if (end !== undefined) watched.end(end);
  }
}
