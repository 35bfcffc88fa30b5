/**
 * The platform over the network, behind the channel's own seam: time limits, abort signals, and
 * refusals as typed errors.
 * @module
 */

import { GatewayError } from "../../../actors/kernel/errors.ts";
import type { LentToken } from "../../access_token.ts";
import { openSocket } from "../../event_gateway/adapters/socket.ts";
import type { GatewaySocket, SocketHandlers } from "../../event_gateway/socket.ts";
import {
  isAmbiguous,
  QqCredentialsError,
  QqRefusedError,
  QqUnreachableError,
  WRONG_SECRET,
} from "../errors.ts";
import type { IncomingFile, QqLink, QqRequest } from "../link.ts";
import type { QqSection } from "../manifest.ts";
import { refusalSchema, tokenSchema } from "../wire.ts";

/** What a link needs to know. */
export interface NetworkOptions
  extends Pick<QqSection, "appId" | "secret" | "apiBase" | "authBase"> {
  /** Ends every call. */
  readonly signal: AbortSignal;
  /** How long a call without a file may take. @default 15 seconds */
  readonly timeoutMs?: number;
}

/** The platform wants at least five seconds: it may have sent a message whose answer is late. */
const TIMEOUT_MS = 15_000;
/** The same for a call that carries a file, or fetches one. */
const FILE_TIMEOUT_MS = 120_000;
/** The AppID, or the AppSecret, is none. */
const CREDENTIAL_CODES: ReadonlySet<number> = new Set([100_007, 100_016]);
/** A message in a guild was taken, and waits for somebody to look at it. */
const AUDIT_CODES: ReadonlySet<number> = new Set([304_023, 304_024]);

/** Makes a link to the platform; nothing is sent yet. */
export function openNetwork(options: NetworkOptions): QqLink {
  return new Network(options);
}

class Network implements QqLink {
  readonly #options: NetworkOptions;
  readonly #timeoutMs: number;
  /** A fresh connection for each call: the engine repeats one whose kept connection broke. */
  readonly #once = Deno.createHttpClient({ poolMaxIdlePerHost: 0, http2: false });

  constructor(options: NetworkOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    const { signal } = options;
    if (signal.aborted) this.#once.close();
    else signal.addEventListener("abort", () => this.#once.close(), { once: true });
  }

  async lendToken(signal: AbortSignal): Promise<LentToken> {
    const { appId, secret, authBase } = this.#options;
    const action = "get a token";
    const answer = await this.#call(action, this.#timeoutMs, signal, async (limits) => {
      const url = `${authBase}/app/getAppAccessToken`;
      const body = JSON.stringify({ appId, clientSecret: secret });
      return await answerOf(
        action,
        await fetch(url, { method: "POST", headers: JSON_HEADERS, body, ...limits }),
      );
    }).catch((error) => {
      if (isAmbiguous(error)) throw notSignedIn(action, error);
      if (!(error instanceof QqRefusedError && CREDENTIAL_CODES.has(error.platformCode))) {
        throw error;
      }
      throw new QqCredentialsError(WRONG_SECRET, { cause: error });
    });
    const lent = tokenSchema.safeParse(answer).data;
    if (lent === undefined) throw unreadable(action);
    return { token: lent.access_token, lifeMs: lent.expires_in * 1_000 };
  }

  request(
    { method, path, token, body, isLarge }: QqRequest,
    signal: AbortSignal,
  ): Promise<unknown> {
    const action = `call ${method} ${withoutIds(path)}`;
    const timeoutMs = isLarge === true ? FILE_TIMEOUT_MS : this.#timeoutMs;
    return this.#call(action, timeoutMs, signal, async (limits) => {
      const response = await fetch(this.#options.apiBase + path, {
        ...(method === "POST" && { client: this.#once }),
        method,
        headers: { ...JSON_HEADERS, authorization: `QQBot ${token}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...limits,
      });
      return await answerOf(action, response);
    });
  }

  download<T>(
    address: string,
    take: (file: IncomingFile) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const action = "fetch a file";
    return this.#call(action, FILE_TIMEOUT_MS, signal, async (limits) => {
      const response = await fetch(address, limits);
      const { body, headers, ok } = response;
      if (!ok || body === null) throw refusalOf(action, response, await response.text());
      const length = Number(headers.get("content-length") ?? NaN);
      return await take({
        body,
        contentType: headers.get("content-type") ?? "",
        length: Number.isSafeInteger(length) ? length : null,
      });
    });
  }

  readonly openSocket = (address: string, handlers: SocketHandlers): GatewaySocket =>
    openSocket(address, handlers);

  /** Runs `work` with what bounds it; what is no error of ours is a connection that failed. */
  async #call<T>(
    action: string,
    timeoutMs: number,
    signal: AbortSignal,
    work: (limits: { readonly signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      const either = AbortSignal.any([timeout.signal, this.#options.signal, signal]);
      return await work({ signal: either });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof GatewayError) throw error;
      const reason = timeout.signal.aborted ? "no answer in time" : "the connection failed";
      const isInDoubt = !isUnconnected(error);
      // Never as a cause: the engine's words name the address, and with it chats and files.
      throw new QqUnreachableError(action, { reason, isInDoubt });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Without `Accept` the platform takes the AppID for a wrong one. */
const JSON_HEADERS = { "content-type": "application/json", accept: "application/json" };

/** Whatever became of a request for a token: what it was for was not done. */
function notSignedIn(action: string, error: unknown): QqUnreachableError {
  const reason = error instanceof QqUnreachableError ? error.reason : "the platform failed";
  return new QqUnreachableError(action, { reason, isInDoubt: false });
}

/** Whether nothing was sent. */
function isUnconnected(error: unknown): boolean {
  const words = error instanceof Error
    ? `${error.message} ${error.cause instanceof Error ? error.cause.message : ""}`
    : "";
  return /client error \(Connect\)|dns error|Requires net access/.test(words);
}

/** The decoded answer. The platform refuses with status 200 as well. */
async function answerOf(action: string, response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw refusalOf(action, response, text);
  if (text === "") return null;
  const answer = parsed(text);
  if (answer === undefined) throw unreadable(action);
  const code = refusalSchema.safeParse(answer).data?.code ?? 0;
  if (code !== 0 && !AUDIT_CODES.has(code)) throw refusalOf(action, response, text);
  return answer;
}

function unreadable(action: string): QqUnreachableError {
  return new QqUnreachableError(action, {
    reason: "the answer cannot be read",
    isInDoubt: true,
  });
}

function refusalOf(
  action: string,
  { status, statusText, headers }: Response,
  text: string,
): QqRefusedError {
  const refusal = refusalSchema.safeParse(parsed(text)).data;
  const seconds = Number(headers.get("retry-after") ?? NaN);
  return new QqRefusedError(action, {
    status,
    platformCode: refusal?.code ?? 0,
    platformMessage: refusal?.message || statusText || "no reason given",
    retryAfterMs: Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds * 1_000) : undefined,
  });
}

/** Pages of proxies are no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Who it goes to is nobody's business in a log. */
function withoutIds(path: string): string {
  return path.replace(/^(\/v2\/\w+|\/dms)\/[^/]+/, "$1/…");
}
