/**
 * The error classes of the runtime: what failed, which code a program can branch on, and what
 * may help.
 * @module
 */

/** What a supervisor or caller may do about a failure. */
export type Recovery = "retry" | "restart" | "give_up";

/** Base of every failure of the world; callers branch on `code`, people read `message`. */
export abstract class GatewayError extends Error {
  /** Stable, lower snake_case; unique per kind of failure. */
  abstract readonly code: string;
  /** What may help: try again, start the part anew, or nothing. */
  abstract readonly recovery: Recovery;
}

/** Our own mistake: something the code believed is not so. It stops the actor it happens in. */
export class InvariantError extends GatewayError {
  override readonly name = "InvariantError";
  readonly code = "invariant_broken";
  readonly recovery = "restart";
}

/** Why an ask has no answer. */
export type AskFailure =
  | "ask_timeout"
  | "ask_refused"
  | "ask_closed"
  | "ask_failed"
  | "ask_aborted"
  | "worker_died";

/** An ask that will not be answered; whether its message had an effect is not known. */
export class AskError extends GatewayError {
  override readonly name = "AskError";
  readonly code: AskFailure;
  readonly recovery = "retry";

  constructor(code: AskFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A failure that came from somewhere else as a value that is no `Error`. */
export class ForeignError extends GatewayError {
  override readonly name = "ForeignError";
  readonly code = "foreign";
  readonly recovery = "restart";
}

/** The value as an `Error`, whatever was thrown. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new ForeignError(String(thrown), { cause: thrown });
}
