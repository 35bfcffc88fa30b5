/**
 * Why a request did not go out, or did not come back. The messages are meant for the model.
 * @module
 */

import { GatewayError, type Recovery } from "../../kernel/errors.ts";

/** What happened to a request. */
export type NetFailure =
  /** Not an address that may be asked for at all. */
  | "url_invalid"
  /** The host, or what it resolves to, is not public. */
  | "host_refused"
  /** The name has no address, or cannot be looked up now. */
  | "host_unresolved"
  /** A redirect leads nowhere, in circles, or too far. */
  | "redirect_refused"
  /** No connection, or it broke. */
  | "request_failed"
  /** The time limit of the request passed. */
  | "request_timed_out"
  /** The answer is no proper HTTP, or is packed in a way we do not read. */
  | "response_invalid"
  /** This Deno cannot connect to exactly the address that was checked. */
  | "pinning_unavailable";

/** A request was refused by the network boundary, or failed behind it. */
export class NetError extends GatewayError {
  override readonly name = "NetError";
  readonly code: NetFailure;
  readonly recovery: Recovery;

  constructor(code: NetFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.recovery = TRANSIENT.has(code) ? "retry" : "give_up";
  }
}

const TRANSIENT: ReadonlySet<NetFailure> = new Set([
  "host_unresolved",
  "request_failed",
  "request_timed_out",
]);
