/**
 * What the tests and the actors in their Workers say to each other.
 * @module
 */

import type { ReplyTo } from "../../../../actors/kernel/ref.ts";

/** To the actor in the Worker. */
export type ToWorker =
  | { readonly type: "echo"; readonly text: string; readonly replyTo: ReplyTo<string> }
  | { readonly type: "never_answer"; readonly replyTo: ReplyTo<string> }
  | { readonly type: "refuse"; readonly replyTo: ReplyTo<string> }
  | { readonly type: "answer_with_a_function"; readonly replyTo: ReplyTo<unknown> }
  | { readonly type: "count"; readonly value: number }
  | { readonly type: "report_count"; readonly replyTo: ReplyTo<Count> }
  | { readonly type: "ask_parent"; readonly text: string }
  | { readonly type: "flood_parent"; readonly messages: number }
  | { readonly type: "break"; readonly how: Breakage }
  | { readonly type: "connect"; readonly port: number; readonly replyTo: ReplyTo<string> }
  | { readonly type: "stop_yourself" };

/** Ways for a Worker to go wrong. */
export type Breakage =
  | "throw_in_handler"
  | "throw_in_timer"
  | "reject_unhandled"
  | "close"
  | "exit"
  | "process_exit"
  | "spin";

/** What the actor in the Worker has counted. */
export interface Count {
  readonly messages: number;
  readonly last: number;
  /** Whether each value was the one after the last. */
  readonly isInOrder: boolean;
}

/** From the actor in the Worker. */
export type FromWorker =
  | { readonly type: "started"; readonly init: unknown }
  | { readonly type: "shout"; readonly text: string; readonly replyTo: ReplyTo<string> }
  | { readonly type: "shouted"; readonly text: string }
  | { readonly type: "flood"; readonly value: number }
  | { readonly type: "last_words" };
