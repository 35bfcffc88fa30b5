/**
 * Calls of the platform on `fetch`: time limits, abort signals, and refusals as typed errors.
 * @module
 */

import { GatewayError } from "../../../actors/kernel/errors.ts";
import { DiscordRefusedError, DiscordUnreachableError } from "../errors.ts";
import type { DiscordAnswer, DiscordRequest, RateFacts, TakeFile } from "../link.ts";
import { errorAnswerSchema } from "../wire_account.ts";

/** What calls need. */
export interface HttpOptions {
  readonly token: string;
  /** With the version, without a slash at its end. */
  readonly apiUrl: string;
  readonly client: Deno.HttpClient | undefined;
  /** Ends all calls. */
  readonly signal: AbortSignal;
  /** How long a call without a file may take. @default 15 seconds */
  readonly timeoutMs: number | undefined;
}

/** Long enough for a slow line, short enough to try again while a person waits. */
const TIMEOUT_MS = 15_000;
/** The same for a call that carries a file, or fetches one. */
const FILE_TIMEOUT_MS = 120_000;
/** The platform wants to be told who calls, in this form. */
const USER_AGENT = "DiscordBot (troupe, 0.1.0)";

/** Makes a call, and decodes its answer. */
export async function call(
  request: DiscordRequest,
  signal: AbortSignal,
  options: HttpOptions,
): Promise<DiscordAnswer> {
  const { method, path, query, file } = request;
  const action = `call ${method} ${withoutTokens(path)}`;
  const url = new URL(options.apiUrl + path);
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
  const timeoutMs = file === undefined ? options.timeoutMs ?? TIMEOUT_MS : FILE_TIMEOUT_MS;
  return await within(action, { timeoutMs, signal, options }, async (limits) => {
    const response = await fetch(url, { ...initOf(request, options), ...limits });
    const text = await response.text();
    if (!response.ok) throw refusalOf(action, response, text);
    return { body: text === "" ? null : decoded(action, text), rate: rateOf(response.headers) };
  });
}

/** Fetches a file; its address carries its own signature, so that no token goes with it. */
export async function download<T>(
  address: string,
  take: TakeFile<T>,
  signal: AbortSignal,
  options: HttpOptions,
): Promise<T> {
  const action = "fetch a file";
  return await within(action, { timeoutMs: FILE_TIMEOUT_MS, signal, options }, async (limits) => {
    const response = await fetch(address, { headers: { "user-agent": USER_AGENT }, ...limits });
    const { body, headers } = response;
    if (!response.ok || body === null) throw refusalOf(action, response, await response.text());
    const length = Number(headers.get("content-length") ?? NaN);
    return await take({
      body,
      contentType: headers.get("content-type") ?? "",
      length: Number.isSafeInteger(length) ? length : null,
    });
  });
}

/** Runs `work` with what bounds it; what is no error of ours is a connection that failed. */
async function within<T>(
  action: string,
  { timeoutMs, signal, options }: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly options: Pick<HttpOptions, "client" | "signal">;
  },
  work: (limits: RequestInit & { readonly client?: Deno.HttpClient }) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const either = AbortSignal.any([timeout.signal, options.signal, signal]);
  const { client } = options;
  try {
    return await work({ signal: either, ...(client !== undefined && { client }) });
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    const reason = timeout.signal.aborted ? "no answer in time" : "the connection failed";
    throw new DiscordUnreachableError(action, reason, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function initOf({ method, body, file }: DiscordRequest, { token }: HttpOptions): RequestInit {
  const headers = new Headers({ authorization: `Bot ${token}`, "user-agent": USER_AGENT });
  if (file !== undefined) {
    const form = new FormData();
    form.set("payload_json", JSON.stringify(body ?? {}));
    form.set("files[0]", new Blob([file.bytes]), file.name);
    return { method, headers, body: form };
  }
  if (body === undefined) return { method, headers };
  headers.set("content-type", "application/json");
  return { method, headers, body: JSON.stringify(body) };
}

function decoded(action: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DiscordUnreachableError(action, "the answer is no JSON", { cause: error });
  }
}

function refusalOf(action: string, response: Response, text: string): DiscordRefusedError {
  const { status, statusText, headers } = response;
  const answer = errorAnswerSchema.safeParse(parsed(text)).data;
  const seconds = answer?.retry_after ?? Number(headers.get("retry-after") ?? NaN);
  return new DiscordRefusedError(action, {
    status,
    platformCode: answer?.code ?? 0,
    platformMessage: answer?.message || statusText || "no reason given",
    retryAfterMs: Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds * 1_000) : undefined,
    isForAll: answer?.global === true || headers.get("x-ratelimit-global") === "true",
  });
}

/** Pages of proxies are no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function rateOf(headers: Headers): RateFacts | null {
  const bucket = headers.get("x-ratelimit-bucket");
  const remaining = Number(headers.get("x-ratelimit-remaining") ?? NaN);
  const seconds = Number(headers.get("x-ratelimit-reset-after") ?? NaN);
  if (bucket === null || !Number.isFinite(remaining) || !Number.isFinite(seconds)) return null;
  return { bucket, remaining, resetAfterMs: Math.ceil(seconds * 1_000) };
}

/** Paths of interactions hold what lets one answer them. */
function withoutTokens(path: string): string {
  return path.replace(/^(\/(?:webhooks|interactions)\/\d+\/)[^/]+/, "$1…");
}
