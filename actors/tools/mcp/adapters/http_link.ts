/**
 * Transports to servers elsewhere, through the network boundary: streamable HTTP, and the older
 * server-sent events.
 * @module
 */

import { type Clock, sleep } from "../../../kernel/clock.ts";
import { LinkedSignal } from "../../../kernel/linked_signal.ts";
import { type FetchLike, guardedFetch } from "../../net/guarded_fetch.ts";
import type { GuardedHttp } from "../../net/guarded_http.ts";
import { McpError } from "../connection.ts";
import type { SignInFile } from "../sign_in_file.ts";
import type { TransportLink } from "./sdk_connection.ts";
import { signedInFetch } from "./signed_in_fetch.ts";
import {
  type OAuthClientProvider,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
} from "./sdk.ts";

/** A longer message ends the stream: it would have to be held in memory as a whole. */
const MESSAGE_BYTES_MAX = 16_000_000;
const GOODBYE_MS = 1_000;
/** For each answer of those who renew a sign-in. */
const RENEW_MS = 30_000;
const LINE_FEED = 10;

/** A server elsewhere. */
export interface HttpServer {
  readonly type: "sse" | "streamableHttp";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What it is reached with. */
export interface HttpLinkOptions {
  readonly server: HttpServer;
  readonly http: GuardedHttp;
  readonly clock: Clock;
  /** From a request to the head of its answer. */
  readonly answerMs: number;
  /** The stored sign-in, whose tokens go with the requests. @default none do */
  readonly signedIn?: SignInFile | undefined;
  /** A sign-in that is being made. @default none is */
  readonly auth?: OAuthClientProvider | undefined;
}

/** A link, whose transport also finishes a sign-in. */
export interface HttpLink extends TransportLink {
  readonly transport: StreamableHTTPClientTransport | SSEClientTransport;
}

/** Opens nothing yet. */
export function httpLink({ server, auth, signedIn, ...options }: HttpLinkOptions): HttpLink {
  const url = new URL(server.url);
  const plain = boundedFetch(server, options);
  const fetch = signedIn === undefined ? plain : signedInFetch(plain, {
    ...{ file: signedIn, url: server.url },
    renewWith: withHeaders(server, boundedFetch(server, { ...options, answerMs: RENEW_MS })),
  });
  const settings = {
    fetch,
    requestInit: { headers: { ...server.headers } },
    ...(auth !== undefined && { authProvider: auth }),
  };
  if (server.type === "sse") {
    return {
      transport: new SSEClientTransport(url, settings),
      reason: () => "",
      // The library would try again by itself, with the server's state gone.
      isEnd: (error) => error instanceof SseError,
    };
  }
  const transport = new StreamableHTTPClientTransport(url, settings);
  const leave = async () => {
    const over = new AbortController();
    const patience = sleep(options.clock, GOODBYE_MS, over.signal).catch(() => {});
    await Promise.race([transport.terminateSession().catch(() => {}), patience]);
    over.abort();
  };
  return { transport, reason: () => "", isEnd: () => false, leave };
}

/** What the owner wrote for the server goes along; `fetch` sees that nobody else gets it. */
function withHeaders({ headers }: HttpServer, fetch: FetchLike): FetchLike {
  return (url, init = {}) => {
    const own = new Headers(headers);
    for (const [name, value] of new Headers(init.headers)) own.set(name, value);
    return fetch(url, { ...init, headers: own });
  };
}

/** The network: answers begin in time, and no message is longer than we can hold. */
function boundedFetch(
  { url: serverUrl, headers: own }: HttpServer,
  { http, clock, answerMs }: Pick<HttpLinkOptions, "http" | "clock" | "answerMs">,
): FetchLike {
  const ownerOrigin = new URL(serverUrl).origin;
  const fetch = guardedFetch(http, { ownerOrigin });
  return async (url, init = {}) => {
    const late = new AbortController();
    const timer = clock.setTimer(answerMs, () => {
      late.abort(new McpError("mcp_timed_out", `no answer within ${answerMs / 1_000} s`));
    });
    const linked = new LinkedSignal(late.signal, ...(init.signal ? [init.signal] : []));
    const headers = new Headers(init.headers);
    // A sign-in asks other servers, whom what the owner wrote for this one does not concern.
    const isOwn = new URL(url).origin === ownerOrigin;
    if (!isOwn) { for (const name of Object.keys(own)) headers.delete(name); }
    try {
      const response = await fetch(url, { ...init, headers, signal: linked.signal });
      return boundedResponse(response, () => linked[Symbol.dispose]());
    } catch (error) {
      linked[Symbol.dispose]();
      throw error;
    } finally {
      timer.cancel();
    }
  };
}

function boundedResponse(response: Response, done: () => void): Response {
  if (response.body === null) {
    done();
    return response;
  }
  const isStream = response.headers.get("content-type")?.includes("event-stream") ?? false;
  let size = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const end = isStream ? chunk.lastIndexOf(LINE_FEED) : -1;
      size = end < 0 ? size + chunk.length : chunk.length - end;
      if (size <= MESSAGE_BYTES_MAX) return controller.enqueue(chunk);
      const text = `it sent a message of more than ${MESSAGE_BYTES_MAX / 1_000_000} MB`;
      controller.error(new McpError("mcp_lost", text));
    },
    flush: done,
    cancel: done,
  });
  const { status, headers } = response;
  return new Response(response.body.pipeThrough(bounded), { status, headers });
}
