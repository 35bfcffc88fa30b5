/**
 * The way to an upstream whose protocol needs no SDK: one POST, one body.
 * @module
 */

import type { Clock } from "../../actors/kernel/clock.ts";
import { type Answer, type Wire, WireError, type WireRequest } from "./answer.ts";
import { faultOfConnection } from "./connection.ts";
import { type Endpoint, requestHeaders, requestUrl } from "./endpoint.ts";
import { answerOf, faultOfResponse } from "./http_answer.ts";

/**
 * Sends requests with `fetch`. Connections stay open between requests. When one of those turns
 * out to be broken, the engine sends the request once more on another; a model is asked twice
 * then, which costs tokens and changes nothing else.
 */
export class FetchWire implements Wire {
  readonly #endpoint: Endpoint;
  readonly #clock: Clock;

  constructor(endpoint: Endpoint, clock: Clock) {
    this.#endpoint = endpoint;
    this.#clock = clock;
  }

  async ask({ path, body, headers }: WireRequest, signal: AbortSignal): Promise<Answer> {
    const response = await send(requestUrl(this.#endpoint, path), {
      method: "POST",
      headers: requestHeaders(this.#endpoint, headers),
      body: JSON.stringify(body),
      // A redirect would carry the key to wherever it leads.
      redirect: "manual",
      signal,
    });
    if (response.ok) return await answerOf(response);
    throw new WireError(await faultOfResponse(response, this.#clock.now()));
  }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw new WireError(faultOfConnection(error));
  }
}
