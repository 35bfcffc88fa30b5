/**
 * Requests and responses of the web over Node's HTTP server, which ends connections that are too
 * slow: Deno's own waits for ever for the end of a request's head.
 * @module
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { getLogger } from "@logtape/logtape";
import { onAbort } from "../../kernel/aborting.ts";
import { asError } from "../../kernel/errors.ts";

const logger = getLogger(["troupe", "gateway", "web_over_node"]);

/** Answers a request. */
export type Answer = (request: Request) => Promise<Response>;

/** How a request is answered. */
export interface AnswerOptions {
  readonly answer: Answer;
  /** Of the server, for the request's address. */
  readonly origin: string;
  /** A client that takes nothing of its answer for so long has gone. Milliseconds. */
  readonly unreadMs: number;
}

/**
 * Has `answer` answer one request. Its signal aborts when the client goes before it has the answer.
 */
export async function answerOverNode(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { answer, origin, unreadMs }: AnswerOptions,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) gone.abort(new DOMException("The client went", "AbortError"));
  });
  const request = requestOf(incoming, { origin, signal: gone.signal });
  const response = request === null
    ? new Response("The request is not well-formed", { status: 400 })
    : await answer(request).catch((error: unknown) => failed(error));
  // The rest of a body that nobody wants would be read as the next request.
  if (!incoming.complete) response.headers.set("connection", "close");
  await send(response, outgoing, { signal: gone.signal, unreadMs });
  if (!incoming.complete) incoming.destroy();
}

function failed(error: unknown): Response {
  logger.error("Cannot answer a request: {reason}", { reason: asError(error).message, error });
  return new Response("Something went wrong inside", { status: 500 });
}

/** The request for the web; null where its address or its headers are none. */
function requestOf(
  incoming: IncomingMessage,
  { origin, signal }: { readonly origin: string; readonly signal: AbortSignal },
): Request | null {
  const { method = "GET", url: path = "/", rawHeaders } = incoming;
  try {
    const headers = new Headers();
    for (let index = 0; index < rawHeaders.length; index += 2) {
      headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
    }
    const hasBody = method !== "GET" && method !== "HEAD";
    return new Request(path.startsWith("/") ? origin + path : path, {
      ...{ method, headers, signal },
      ...(hasBody && { body: bodyOf(incoming) }),
    });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** What is read no faster than somebody wants it. Whoever cancels can still be answered. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isOver = false;
  return new ReadableStream({
    start: (controller) => {
      incoming.pause();
      incoming.on("data", (chunk: Uint8Array<ArrayBuffer>) => {
        if (isOver) return;
        controller.enqueue(new Uint8Array(chunk));
        incoming.pause();
      });
      const end = (finish: () => void) => {
        if (!isOver) finish();
        isOver = true;
      };
      incoming.once("end", () => end(() => controller.close()));
      incoming.once("error", (error) => end(() => controller.error(error)));
      incoming.once("close", () => end(() => controller.error(new Error("the client went"))));
    },
    pull: () => void incoming.resume(),
    cancel: () => {
      isOver = true;
      incoming.pause();
    },
  });
}

interface SendOptions {
  readonly signal: AbortSignal;
  readonly unreadMs: number;
}

async function send(
  response: Response,
  outgoing: ServerResponse,
  { signal, unreadMs }: SendOptions,
): Promise<void> {
  const reader = response.body?.getReader();
  if (signal.aborted) return await reader?.cancel(signal.reason);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (reader === undefined) return void outgoing.end();
  using _gone = onAbort(signal, () => void reader.cancel(signal.reason).catch(() => {}));
  outgoing.flushHeaders();
  for (;;) {
    const { value, done } = await reader.read();
    if (done || signal.aborted) break;
    if (!outgoing.write(value)) await drained(outgoing, { signal, unreadMs });
  }
  if (!signal.aborted) outgoing.end();
}

/** Until there is room, or nobody there. */
async function drained(
  outgoing: ServerResponse,
  { signal, unreadMs }: SendOptions,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => outgoing.destroy(), unreadMs);
  outgoing.once("drain", resolve);
  using _gone = onAbort(signal, resolve);
  await promise;
  outgoing.off("drain", resolve);
  clearTimeout(timer);
}
