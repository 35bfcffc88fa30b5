/**
 * DingTalk over the network: calls and files on `fetch`, streams on the WebSocket that is built in.
 * @module
 */

import { GatewayError } from "../../../actors/kernel/errors.ts";
import { LinkedSignal } from "../../../actors/kernel/linked_signal.ts";
import { DingTalkRefusedError, DingTalkUnreachableError } from "../errors.ts";
import { isOwnAddress } from "../hosts.ts";
import type { DingTalkCall, DingTalkLink, IncomingFile, TextSocket, Upload } from "../link.ts";
import { type DingTalkSection, manifest } from "../manifest.ts";
import { endSchema, refusalSchema } from "../wire.ts";
import { openTextSocket } from "./text_socket.ts";

/** Long enough for a slow line, short enough to try again while a person waits. */
const TIMEOUT_MS = 15_000;
/** How long a file may take, either way. */
const FILE_TIMEOUT_MS = 300_000;
const REDIRECTS_MAX = 5;

/**
 * Makes a link; nothing is sent yet. Dispose of it to close its connections.
 *
 * @param timeoutMs of a call without a file
 */
export function fetchLink(
  section: DingTalkSection,
  timeoutMs: number = TIMEOUT_MS,
): DingTalkLink {
  return new FetchLink(section, timeoutMs);
}

class FetchLink implements DingTalkLink {
  readonly #section: DingTalkSection;
  readonly #timeoutMs: number;
  readonly #hosts: readonly string[];
  /** On a connection that was used before, a POST may travel twice: `fetch` repeats it by itself. */
  readonly #onceClient = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  #isDisposed = false;

  constructor(section: DingTalkSection, timeoutMs: number) {
    this.#section = section;
    this.#timeoutMs = timeoutMs;
    this.#hosts = manifest.hosts(section);
  }

  async post(call: DingTalkCall, signal: AbortSignal): Promise<unknown> {
    const { path, body, token, isOnce = false } = call;
    const action = `call ${path}`;
    return await within(this.#timeoutMs, signal, action, async (limited) => {
      const response = await fetch(`${this.#section.apiBase}${path}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(token !== undefined && { "x-acs-dingtalk-access-token": token }),
        },
        body: JSON.stringify(body),
        redirect: "error",
        signal: limited,
        ...(isOnce && !this.#isDisposed && { client: this.#onceClient }),
      });
      return answerOf(action, response, await response.text());
    });
  }

  async upload(
    { kind, name, bytes }: Upload,
    token: string,
    signal: AbortSignal,
  ): Promise<unknown> {
    const action = "upload a file";
    return await within(FILE_TIMEOUT_MS, signal, action, async (limited) => {
      const form = new FormData();
      form.set("media", new File([bytes], name));
      const query = new URLSearchParams({ access_token: token, type: kind });
      const response = await fetch(`${this.#section.oapiBase}/media/upload?${query}`, {
        method: "POST",
        body: form,
        redirect: "error",
        signal: limited,
      });
      const answer = answerOf(action, response, await response.text());
      const end = endSchema.safeParse(answer).data;
      if (end === undefined || end.errcode === 0) return answer;
      const refusal = { reason: String(end.errcode), description: end.errmsg };
      throw new DingTalkRefusedError(action, { status: response.status, ...refusal });
    });
  }

  async download<T>(
    url: string,
    take: (file: IncomingFile) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const action = "fetch a file";
    return await within(FILE_TIMEOUT_MS, signal, action, async (limited) => {
      let address = url;
      for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
        this.#guard(action, address);
        const response = await fetch(address, { redirect: "manual", signal: limited });
        if (response.ok && response.body !== null) {
          return await take(fileOf(response, response.body));
        }
        await response.body?.cancel();
        const next = response.headers.get("location");
        if (!isRedirect(response) || next === null) throw refusalOf(action, response);
        address = new URL(next, address).href;
      }
      throw elsewhere(action, "sent on too often");
    });
  }

  async open(
    url: string,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<TextSocket> {
    const action = "open a stream";
    this.#guard(action, url);
    try {
      return await openTextSocket(url, onText, signal);
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      throw new DingTalkUnreachableError(action, { reason, isInDoubt: false }, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#onceClient.close();
  }

  /** What an answer names must be the platform's, whoever wrote the answer. */
  #guard(action: string, url: string): void {
    if (!isOwnAddress(url, this.#hosts)) throw elsewhere(action, "the address is not DingTalk's");
  }
}

function elsewhere(action: string, description: string): DingTalkRefusedError {
  return new DingTalkRefusedError(action, { status: 200, reason: "elsewhere", description });
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
    signal.throwIfAborted();
    const isOver = timeout.signal.aborted;
    const reason = isOver ? "no answer in time" : "the connection failed";
    const isInDoubt = isOver || !(error instanceof TypeError && neverConnected(error));
    throw new DingTalkUnreachableError(action, { reason, isInDoubt }, { cause: error });
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
  try {
    const answer: unknown = JSON.parse(text);
    if (response.ok) return answer;
    throw refusalOf(action, response, answer);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (!response.ok) throw refusalOf(action, response);
    const reason = "the answer is no JSON";
    throw new DingTalkUnreachableError(action, { reason, isInDoubt: true }, { cause: error });
  }
}

function refusalOf(
  action: string,
  { status, headers }: Response,
  answer?: unknown,
): DingTalkRefusedError {
  const { code = "", message = "" } = refusalSchema.safeParse(answer).data ?? {};
  const seconds = Number(headers.get("retry-after") ?? NaN);
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined;
  return new DingTalkRefusedError(action, {
    status,
    reason: code,
    description: message,
    retryAfterMs,
  });
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
