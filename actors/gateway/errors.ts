/**
 * Why a gateway does not start.
 * @module
 */

import { GatewayError } from "../kernel/errors.ts";

/** A start that was refused; the message is one line for people. */
export class StartError extends GatewayError {
  override readonly name = "StartError";
  readonly code: "port_taken" | "provider_unusable";
  readonly recovery = "give_up";
  /** What a command ends with. */
  readonly exitCode = 2;

  constructor(code: StartError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
