/**
 * A wire whose requests carry a token of a sign-in.
 * @module
 */

import { untilAborted } from "../../actors/kernel/aborting.ts";
import type { Fault } from "../failures.ts";
import { type Answer, type Wire, WireError, type WireRequest } from "../wire/answer.ts";
import { SignInError } from "./errors.ts";
import type { SharedTokens } from "./shared_tokens.ts";

/** Puts tokens on requests; when they are not taken, new ones are tried once. */
export class AuthorizedWire<T> implements Wire {
  readonly #wire: Wire;
  readonly #tokens: SharedTokens<T>;
  readonly #authorize: (request: WireRequest, tokens: T) => WireRequest;

  constructor(
    wire: Wire,
    tokens: SharedTokens<T>,
    authorize: (request: WireRequest, tokens: T) => WireRequest,
  ) {
    this.#wire = wire;
    this.#tokens = tokens;
    this.#authorize = authorize;
  }

  async ask(request: WireRequest, signal: AbortSignal): Promise<Answer> {
    const tokens = await this.#current(signal);
    try {
      return await this.#wire.ask(this.#authorize(request, tokens), signal);
    } catch (error) {
      if (!(error instanceof WireError) || error.fault.status !== 401) throw error;
      this.#tokens.reject(tokens);
    }
    return await this.#wire.ask(this.#authorize(request, await this.#current(signal)), signal);
  }

  async #current(signal: AbortSignal): Promise<T> {
    try {
      signal.throwIfAborted();
      // Others may wait for the same tokens: the caller leaves, the work goes on.
      return await untilAborted(this.#tokens.get(), signal);
    } catch (error) {
      throw error instanceof SignInError ? new WireError(faultOf(error)) : error;
    }
  }
}

function faultOf({ code, message }: SignInError): Fault {
  const failure = code === "sign_in_unreachable" ? "provider_connection" : "provider_auth";
  return { failure, tokens: [], text: message };
}
