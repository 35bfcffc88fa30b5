/**
 * How a turn is told to end before its time.
 * @module
 */

import { GatewayError } from "../kernel/errors.ts";

/** Why a turn was aborted: somebody asked for it. */
export class TurnStoppedError extends GatewayError {
  override readonly name = "TurnStoppedError";
  readonly code = "turn_stopped";
  readonly recovery = "give_up";
}
