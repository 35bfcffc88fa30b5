/**
 * What becomes known of a Worker's life.
 * @module
 */

import { GatewayError } from "./errors.ts";

/** What a Worker's parent hears of its life, besides the messages of the actor in it. */
export type WorkerNotice =
  /** The actor in the Worker has started; also after each restart. */
  | { readonly type: "worker_ready"; readonly worker: string }
  /** The Worker died; the supervision decides what follows. In-flight asks have failed. */
  | {
    readonly type: "worker_died";
    readonly worker: string;
    readonly error: Error;
    /** Messages sent that may or may not have been handled; never sent again. */
    readonly unacknowledged: number;
  }
  /** The Worker neither answered nor ended: its thread may burn a core until the process ends. */
  | { readonly type: "worker_stuck"; readonly worker: string };

/** How a Worker died. */
export type WorkerDeath =
  | "worker_fault"
  | "worker_closed"
  | "worker_exited"
  | "worker_silent"
  | "worker_not_started";

/** A Worker that is no more. */
export class WorkerError extends GatewayError {
  override readonly name = "WorkerError";
  readonly code: WorkerDeath;
  readonly recovery = "restart";

  constructor(code: WorkerDeath, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
