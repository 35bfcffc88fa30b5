/**
 * Why the control door, or whoever knocks at it, gets no answer.
 * @module
 */

import { GatewayError, type Recovery } from "../kernel/errors.ts";

/** The kinds of failure. */
export type ControlFailure =
  /** Nobody opens: no gateway runs here. */
  | "control_unreachable"
  /** The connection ended before the answer. */
  | "control_lost"
  /** What came is not what was agreed on. */
  | "control_garbled"
  /** No answer within the time for it. */
  | "control_timeout"
  /** The door knows no such request, or not in this version. */
  | "control_unknown"
  /** The gateway could not do what was asked. */
  | "control_refused";

/** A request that was not answered; the message is one line for people. */
export class ControlError extends GatewayError {
  override readonly name = "ControlError";
  readonly code: ControlFailure;
  readonly recovery: Recovery;

  constructor(code: ControlFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.recovery = code === "control_lost" || code === "control_timeout" ? "retry" : "give_up";
  }
}
