/**
 * The official client, reduced to one request at a time. It takes nothing from the environment,
 * retries nothing and prints nothing; the body of the answer is read by ourselves, which is
 * several times faster. Loaded with a backend, at the first call.
 * @module
 */

import OpenAI, {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
} from "openai";
import type { Clock } from "../../actors/kernel/clock.ts";
import type { Fault } from "../failures.ts";
import { type Answer, type Wire, WireError, type WireRequest } from "../wire/answer.ts";
import { faultOfConnection } from "../wire/connection.ts";
import { type Endpoint, requestHeaders } from "../wire/endpoint.ts";
import { answerOf, faultOfHead } from "../wire/http_answer.ts";
import { faultOfVendorError } from "../wire/vendor_error.ts";

/** The client's own limit on the wait for headers; the stall watchdog strikes long before. */
const REQUEST_TIMEOUT_MS = 24 * 60 * 60 * 1_000;

/** One upstream. Connections stay open between requests, as with {@link FetchWire}. */
export class SdkWire implements Wire {
  readonly #client: OpenAI;
  readonly #endpoint: Endpoint;
  readonly #clock: Clock;
  /** All headers that we have ever set. */
  readonly #names = new Set<string>();

  constructor(endpoint: Endpoint, clock: Clock) {
    this.#endpoint = endpoint;
    this.#clock = clock;
    this.#client = new OpenAI({
      // All of these have a twin in the environment that counts when they are absent.
      apiKey: "unused",
      adminAPIKey: null,
      baseURL: endpoint.baseUrl,
      organization: null,
      project: null,
      webhookSecret: null,
      logLevel: "off",
      maxRetries: 0,
      timeout: REQUEST_TIMEOUT_MS,
      fetch: (url, init) => this.#fetch(url, init),
    });
  }

  async ask({ path, body, headers: own }: WireRequest, signal: AbortSignal): Promise<Answer> {
    const headers = requestHeaders(this.#endpoint, own);
    for (const name of Object.keys(headers)) this.#names.add(name);
    const query = this.#endpoint.query ?? {};
    return await answerOf(await this.#post(path, { body, headers, query, signal }));
  }

  async #post(
    path: string,
    options: Pick<WireRequest, "body" | "headers"> & {
      readonly query: Readonly<Record<string, string>>;
      readonly signal: AbortSignal;
    },
  ): Promise<Response> {
    try {
      return await this.#client.post(path, { ...options, stream: true }).asResponse();
    } catch (error) {
      throw new WireError(faultOf(error, this.#clock.now()));
    }
  }

  /**
   * Sends exactly our headers: the client would add some from `OPENAI_CUSTOM_HEADERS` and some
   * about this machine.
   */
  #fetch(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const built = new Headers(init.headers);
    const headers = new Headers();
    for (const name of this.#names) {
      const value = built.get(name);
      if (value !== null) headers.set(name, value);
    }
    // A redirect would carry the key to wherever it leads.
    return fetch(url, { ...init, headers, redirect: "manual" });
  }
}

/** Reads what the client threw. */
function faultOf(thrown: unknown, nowMs: number): Fault {
  if (thrown instanceof APIUserAbortError) {
    return { failure: "provider_aborted", tokens: [], text: "stopped" };
  }
  if (thrown instanceof APIConnectionTimeoutError) {
    return { failure: "provider_timeout", tokens: [], text: thrown.message };
  }
  if (!(thrown instanceof APIError) || thrown instanceof APIConnectionError) {
    return faultOfConnection(thrown);
  }
  const { status, headers, error, message } = thrown;
  const inner = faultOfVendorError(error ?? message);
  return status === undefined
    ? inner
    : { ...inner, ...faultOfHead({ status, headers: headers ?? new Headers() }, nowMs) };
}
