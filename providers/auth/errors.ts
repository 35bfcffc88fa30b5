/**
 * What can go wrong with sign-ins.
 * @module
 */

import { GatewayError, type Recovery } from "../../actors/kernel/errors.ts";

/** Why there is no usable token. */
export type SignInFailure =
  /** Nobody has signed in, or what they got is void: somebody must sign in. */
  | "sign_in_missing"
  /** The server said no to a sign-in. */
  | "sign_in_refused"
  | "sign_in_expired"
  /** The server cannot be reached or makes no sense. */
  | "sign_in_unreachable";

/** A sign-in or a renewal that failed. No token stands in it. */
export class SignInError extends GatewayError {
  override readonly name = "SignInError";
  readonly code: SignInFailure;
  readonly recovery: Recovery;

  constructor(code: SignInFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.recovery = code === "sign_in_unreachable" ? "retry" : "give_up";
  }
}
