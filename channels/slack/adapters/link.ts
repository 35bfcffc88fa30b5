/**
 * Slack over the network: calls of the Web API and files on `fetch`, sockets on `ws`.
 * @module
 */

import { GatewayError } from "../../../actors/kernel/errors.ts";
import { LinkedSignal } from "../../../actors/kernel/linked_signal.ts";
import { SlackRefusedError, SlackUnreachableError } from "../errors.ts";
import type { IncomingFile, SlackCall, SlackLink, SlackSocket, SocketHandlers } from "../link.ts";
import { answerSchema } from "../wire.ts";
import { openSocket } from "./socket.ts";

/** What a link is made of. */
export interface SlackLinkOptions {
  /** With a slash at its end. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  /** How long a call may take. @default 15 seconds */
  readonly timeoutMs?: number;
}

/** Long enough for a slow line, short enough to try again while a person waits. */
const TIMEOUT_MS = 15_000;
/** How long a file may take, either way. */
const FILE_TIMEOUT_MS = 300_000;

/** Makes a link; nothing is sent yet. Dispose of it to close its connections. */
export function slackLink(options: SlackLinkOptions): SlackLink {
  return new FetchLink(options);
}

class FetchLink implements SlackLink {
  readonly #options: SlackLinkOptions;
  /** On a connection that was used before, a POST may travel twice: `fetch` repeats it by itself. */
  readonly #onceClient = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  #isDisposed = false;

  constructor(options: SlackLinkOptions) {
    this.#options = options;
  }

  async call(call: SlackCall, signal: AbortSignal): Promise<unknown> {
    return (await this.#call(call, signal)).body;
  }

  /** Slack tells them with every answer. */
  async scopes(signal: AbortSignal): Promise<readonly string[]> {
    const { headers } = await this.#call({ method: "auth.test", args: {} }, signal);
    return (headers.get("x-oauth-scopes") ?? "").split(",").map((scope) => scope.trim())
      .filter((scope) => scope !== "");
  }

  async upload(url: string, bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void> {
    const action = "upload a file";
    await within(FILE_TIMEOUT_MS, signal, action, async (limited) => {
      const headers = { "content-type": "application/octet-stream" };
      const init = { method: "POST", headers, body: bytes, signal: limited };
      const response = await fetch(url, { ...init, redirect: "error" });
      await response.body?.cancel();
      if (!response.ok) throw refusalOf(action, response, "");
    });
  }

  async download<T>(
    url: string,
    take: (file: IncomingFile) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const action = "fetch a file";
    return await within(FILE_TIMEOUT_MS, signal, action, async (limited) => {
      const headers = { authorization: `Bearer ${this.#options.botToken}` };
      const response = await fetch(url, { headers, redirect: "manual", signal: limited });
      if (response.ok && response.body !== null) return await take(fileOf(response, response.body));
      await response.body?.cancel();
      throw refusalOf(action, response, isRedirect(response) ? "not_signed_in" : "");
    });
  }

  open(url: string, handlers: SocketHandlers, signal: AbortSignal): Promise<SlackSocket> {
    return openSocket(url, handlers, signal);
  }

  async #call(
    call: SlackCall,
    signal: AbortSignal,
  ): Promise<{ readonly body: unknown; readonly headers: Headers }> {
    const { apiUrl, botToken, appToken } = this.#options;
    const { method, args, isOnce = false } = call;
    const timeoutMs = call.timeoutMs ?? this.#options.timeoutMs ?? TIMEOUT_MS;
    const action = `call ${method}`;
    const token = call.as === "app" ? appToken : botToken;
    return await within(timeoutMs, signal, action, async (limited) => {
      const response = await fetch(`${apiUrl}${method}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: formOf(args),
        redirect: "error",
        signal: limited,
        ...(isOnce && !this.#isDisposed && { client: this.#onceClient }),
      });
      const body = answerOf(action, response, await response.text());
      return { body, headers: response.headers };
    });
  }

  [Symbol.dispose](): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#onceClient.close();
  }
}

/** Strings as they are, everything else as JSON; what is undefined is left out. */
function formOf(args: SlackCall["args"]): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(args)) {
    if (value === undefined) continue;
    form.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return form;
}

/** Runs `work` under a time limit; what the network fails with becomes a typed error. */
async function within<T>(
  timeoutMs: number,
  signal: AbortSignal,
  action: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  using linked = new LinkedSignal(timeout.signal, signal);
  try {
    return await work(linked.signal);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    const isOver = timeout.signal.aborted;
    const reason = isOver ? "no answer in time" : "the connection failed";
    const wasNotSent = !isOver && error instanceof TypeError && neverConnected(error);
    throw new SlackUnreachableError(action, reason, { cause: error, wasNotSent });
  } finally {
    clearTimeout(timer);
  }
}

/** Refused, or without an address: nothing of the call can have arrived. */
function neverConnected({ message, cause }: TypeError): boolean {
  const words = `${message} ${cause instanceof Error ? cause.message : ""}`;
  return /tcp connect error|dns error|Connection refused/i.test(words);
}

function answerOf(action: string, response: Response, text: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    if (!response.ok) throw refusalOf(action, response, "");
    throw new SlackUnreachableError(action, "the answer is no JSON", { cause: error });
  }
  const answer = answerSchema.safeParse(body).data;
  if (response.ok && answer?.ok === true) return body;
  throw refusalOf(action, response, answer?.error ?? "", answer?.needed);
}

function refusalOf(
  action: string,
  { status, headers }: Response,
  reason: string,
  neededScope?: string,
): SlackRefusedError {
  const seconds = Number(headers.get("retry-after") ?? NaN);
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined;
  return new SlackRefusedError(action, { reason, status, neededScope, retryAfterMs });
}

function isRedirect({ status }: Response): boolean {
  return status >= 300 && status < 400;
}

function fileOf({ headers }: Response, body: ReadableStream<Uint8Array>): IncomingFile {
  const length = Number(headers.get("content-length") ?? NaN);
  return {
    body,
    contentType: headers.get("content-type") ?? "",
    length: Number.isSafeInteger(length) ? length : null,
  };
}
