/**
 * The SDK's HTTP client on `fetch`: time limits, abort signals, and refusals as typed errors.
 * @module
 */

import type { HttpInstance, HttpRequestOptions } from "@larksuiteoapi/node-sdk";
import { GatewayError } from "../../../actors/kernel/errors.ts";
import { FeishuRefusedError, FeishuUnreachableError } from "../errors.ts";
import type { TakeFile, UploadForm } from "../link.ts";
import { incomingFile } from "./incoming_file.ts";
import { answerSchema } from "../wire.ts";

/** What the SDK asks for, and what we add to it. */
export type HttpOptions<Data> = HttpRequestOptions<Data> & {
  readonly signal?: AbortSignal;
  readonly form?: UploadForm;
  /** Takes the answer if it is a file. */
  readonly takeFile?: TakeFile<unknown>;
};

/** Makes one call and gives the decoded body. */
export type SendHttp = <Body, Data>(options: HttpOptions<Data>) => Promise<Body>;

/** Long enough for a slow line, short enough to try again while a person waits. */
const TIMEOUT_MS = 15_000;

/**
 * Makes the sender behind every call of the SDK.
 *
 * @param lifeSignal ends all calls
 * @param timeoutMsMax no call may take longer, whatever it asks for
 */
export function fetchSender(
  lifeSignal: AbortSignal,
  timeoutMsMax: number = Infinity,
): SendHttp {
  return async <Body, Data>(options: HttpOptions<Data>): Promise<Body> => {
    const url = urlOf(options);
    const action = `call ${options.method?.toUpperCase() ?? "GET"} ${url.pathname}`;
    const timeout = new AbortController();
    const timeoutMs = Math.min(options.timeout || TIMEOUT_MS, timeoutMsMax);
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    const signals = [timeout.signal, lifeSignal, ...(options.signal ? [options.signal] : [])];
    try {
      const response = await fetch(url, { ...initOf(options), signal: AbortSignal.any(signals) });
      const { takeFile } = options;
      const file = takeFile === undefined ? null : incomingFile(response);
      if (file === null) return decode(action, response, await response.text());
      await takeFile?.(file);
      return JSON.parse("{}"); // all there was to it has been taken
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      const reason = timeout.signal.aborted ? "no answer in time" : "the connection failed";
      throw new FeishuUnreachableError(action, reason, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The sender in the shape the SDK wants. */
export function httpInstanceOf(send: SendHttp): HttpInstance {
  return {
    request: send,
    get: (url, options) => send({ ...options, url, method: "GET" }),
    delete: (url, options) => send({ ...options, url, method: "DELETE" }),
    head: (url, options) => send({ ...options, url, method: "HEAD" }),
    options: (url, options) => send({ ...options, url, method: "OPTIONS" }),
    post: (url, data, options) => send({ ...options, url, data, method: "POST" }),
    put: (url, data, options) => send({ ...options, url, data, method: "PUT" }),
    patch: (url, data, options) => send({ ...options, url, data, method: "PATCH" }),
  };
}

function urlOf<Data>(options: HttpOptions<Data>): URL {
  const url = new URL(options.url ?? "");
  for (const [name, value] of Object.entries(options.params ?? {})) {
    url.searchParams.set(name, String(value));
  }
  return url;
}

function initOf<Data>(options: HttpOptions<Data>): RequestInit {
  const headers = new Headers();
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    headers.set(name, String(value));
  }
  const method = options.method?.toUpperCase() ?? "GET";
  if (options.form !== undefined) {
    headers.delete("content-type"); // fetch writes it, with the boundary
    return { method, headers, body: formOf(options.form) };
  }
  if (method === "GET" || options.data === undefined) return { method, headers };
  headers.set("content-type", "application/json; charset=utf-8");
  return { method, headers, body: JSON.stringify(options.data) };
}

function formOf(form: UploadForm): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(form.fields)) data.set(name, value);
  data.set(form.fileField, new Blob([form.bytes]), form.fileName);
  return data;
}

function decode<Body>(action: string, response: Response, text: string): Body {
  let body;
  try {
    body = JSON.parse(text);
  } catch (error) {
    if (response.ok) {
      throw new FeishuUnreachableError(action, "the answer is no JSON", { cause: error });
    }
  }
  const answer = answerSchema.safeParse(body);
  if (response.ok && (!answer.success || answer.data.code === 0)) return body;
  throw new FeishuRefusedError(action, {
    platformCode: answer.data?.code ?? 0,
    status: response.status,
    platformMessage: answer.data?.msg ?? response.statusText,
    logId: response.headers.get("x-tt-logid") ?? undefined,
    retryAfterMs: retryAfterMsOf(response.headers),
  });
}

function retryAfterMsOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get("x-ogw-ratelimit-reset") ?? headers.get("retry-after"));
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds * 1_000) : undefined;
}
