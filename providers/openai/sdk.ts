/**
 * The official client, reduced to one request at a time. It takes nothing from the environment,
 * retries nothing and prints nothing. Loaded with the backend, at the first call.
 * @module
 */

import OpenAI, {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
} from "openai";
import { asError, GatewayError } from "../../actors/kernel/errors.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import type { Fault } from "../failures.ts";
import { waitFromHeaders } from "../retry_after.ts";
import { DoneMark } from "./done_mark.ts";
import { faultOfVendorError } from "./vendor_error.ts";

/** The client's own limit on the wait for headers; the stall watchdog strikes long before. */
const REQUEST_TIMEOUT_MS = 24 * 60 * 60 * 1_000;

/** Where requests go, and what each of them carries. */
export interface Endpoint {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Names in lower case; they win over all others. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What came back with a good status. */
export type Answer =
  | {
    readonly kind: "stream";
    readonly chunks: AsyncIterable<unknown>;
    /** Whether `[DONE]` has been read. */
    readonly isDone: () => boolean;
  }
  /** The server does not stream: the completion in one piece. */
  | { readonly kind: "whole"; readonly body: unknown };

/** A page or something else that no model API sends, under a good status. */
class ForeignAnswerError extends GatewayError {
  override readonly name = "ForeignAnswerError";
  readonly code = "foreign_answer";
  readonly recovery = "give_up";
}

/** One upstream. */
export class OpenAiWire {
  readonly #client: OpenAI;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #doneMarks = new WeakMap<Response, DoneMark>();

  constructor({ baseUrl, apiKey, headers }: Endpoint) {
    this.#headers = {
      accept: "text/event-stream, application/json",
      authorization: `Bearer ${apiKey === "" ? "no-key" : apiKey}`,
      "content-type": "application/json",
      "user-agent": "Troupe",
      ...headers,
    };
    this.#client = new OpenAI({
      // All of these have a twin in the environment that counts when they are absent.
      apiKey: "unused",
      adminAPIKey: null,
      baseURL: baseUrl,
      organization: null,
      project: null,
      webhookSecret: null,
      logLevel: "off",
      maxRetries: 0,
      timeout: REQUEST_TIMEOUT_MS,
      fetch: (url, init) => this.#fetch(url, init),
    });
  }

  /**
   * Sends `body` to `/chat/completions`; resolves when the headers are there.
   *
   * @param headers added to the endpoint's, which win
   * @throws what {@link faultOf} can read
   */
  async ask(
    body: JsonObject,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { data, response } = await this.#client
      .post<AsyncIterable<unknown>>("/chat/completions", {
        body,
        headers: { ...headers, ...this.#headers },
        signal,
        stream: true,
      })
      .withResponse();
    const contentType = response.headers.get("content-type")?.toLowerCase() ?? "";
    if (contentType.includes("json")) return { kind: "whole", body: await response.json() };
    if (contentType.includes("html")) {
      throw new ForeignAnswerError(`the answer is ${contentType}, not one of a model API`);
    }
    const mark = this.#doneMarks.get(response);
    return { kind: "stream", chunks: data, isDone: () => mark?.isSeen ?? false };
  }

  /**
   * Sends exactly our headers: the client would add some from `OPENAI_CUSTOM_HEADERS` and some
   * about this machine.
   */
  async #fetch(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const built = new Headers(init.headers);
    const headers = new Headers();
    for (const name of [...Object.keys(this.#headers), ...REQUEST_HEADERS]) {
      const value = built.get(name);
      if (value !== null) headers.set(name, value);
    }
    const response = await fetch(url, { ...init, headers });
    const { body, status, statusText } = response;
    if (!response.ok || body === null) return response;
    const mark = new DoneMark();
    const marked = new Response(body.pipeThrough(mark.transform()), {
      status,
      statusText,
      headers: response.headers,
    });
    this.#doneMarks.set(marked, mark);
    return marked;
  }
}

/** Headers that differ from request to request. */
const REQUEST_HEADERS = ["x-session-affinity"];

/**
 * Reads what the client threw.
 *
 * @param nowMs epoch milliseconds, for waits that are given as a date
 */
export function faultOf(thrown: unknown, nowMs: number): Fault {
  if (thrown instanceof APIUserAbortError) {
    return { failure: "provider_aborted", tokens: [], text: "stopped" };
  }
  if (thrown instanceof APIConnectionTimeoutError) {
    return { failure: "provider_timeout", tokens: [], text: thrown.message };
  }
  if (thrown instanceof APIError && !(thrown instanceof APIConnectionError)) {
    return faultOfAnswer(thrown, nowMs);
  }
  if (thrown instanceof ForeignAnswerError) {
    return { failure: "provider_bad_request", tokens: [], text: thrown.message };
  }
  return { failure: "provider_connection", tokens: [], text: deepestMessage(asError(thrown)) };
}

function faultOfAnswer(error: APIError, nowMs: number): Fault {
  const { status, headers } = error;
  const inner = faultOfVendorError(error.error ?? error.message);
  const verdict = headers?.get("x-should-retry");
  return {
    ...inner,
    status,
    shouldRetry: verdict === "true" ? true : verdict === "false" ? false : undefined,
    retryAfterMs: headers === undefined ? undefined : waitFromHeaders(headers, nowMs),
  };
}

/** "Connection error." has what really happened in its causes. */
function deepestMessage(error: Error): string {
  let deepest = error;
  for (let depth = 0; depth < 5 && deepest.cause instanceof Error; depth++) deepest = deepest.cause;
  return deepest.message;
}
