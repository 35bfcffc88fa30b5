/**
 * A Worker that answers, for the round trip.
 * @module
 */

import type { ReplyTo } from "../actors/kernel/ref.ts";
import { runWorker } from "../actors/kernel/worker_runtime.ts";

/** What the Worker understands. */
export interface Echo {
  readonly text: string;
  readonly replyTo: ReplyTo<string>;
}

if (import.meta.main) {
  runWorker<Echo, never>(() => ({ receive: ({ text, replyTo }) => replyTo.reply(text) }));
}
