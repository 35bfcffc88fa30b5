/**
 * What the runtime tells the world about its actors. Events may be lost (BroadcastChannel cuts
 * bursts); `sequence` lets a receiver see the gap.
 * @module
 */

/** What happened to an actor or a channel. */
export type KernelEvent =
  | { readonly type: "actor_started"; readonly actor: string }
  | { readonly type: "actor_stopped"; readonly actor: string; readonly error?: string }
  | {
    readonly type: "actor_restarted";
    readonly actor: string;
    readonly restarts: number;
    readonly error: string;
  }
  /** A Worker does not answer: its thread may use a core until the process ends. */
  | { readonly type: "worker_stuck"; readonly actor: string }
  | { readonly type: "dead_letter"; readonly actor: string; readonly reason: DeadLetterReason };

/** Why a message was not handled. */
export type DeadLetterReason = "full" | "closed" | "failed" | "dropped_oldest" | "stopped";

/** A message that no actor handled, for the log and the count. */
export interface DeadLetter {
  readonly actor: string;
  readonly reason: DeadLetterReason;
  readonly message: unknown;
  readonly error?: Error;
}
