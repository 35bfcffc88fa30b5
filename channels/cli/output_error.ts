/**
 * A standard output that does not take what is written to it, such as a file on a full disk.
 * @module
 */

import { GatewayError } from "../../actors/kernel/errors.ts";

/** The answer could not be shown; it stands in the conversation. */
export class OutputError extends GatewayError {
  override readonly name = "OutputError";
  readonly code = "output_failed";
  readonly recovery = "give_up";

  constructor(cause: Error) {
    super(`Cannot write the answer: ${cause.message}`, { cause });
  }
}
