/**
 * The web server: Node's, with `ws` for the sockets. Sizes, times and numbers are bounded before
 * anything of a client's is looked at.
 * @module
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { getLogger } from "@logtape/logtape";
import { ListenError, WebsocketSetupError } from "../errors.ts";
import {
  type ListenOptions,
  PROTOCOL,
  type WebAnswer,
  type WebHandlers,
  type WebRequest,
  type WebServer,
} from "../link.ts";
import { normalisedPath } from "../manifest.ts";
import { ClientSocket } from "./client_socket.ts";

const logger = getLogger(["troupe", "websocket", "server"]);

/** A client that takes longer to ask is none. */
const HEAD_TIMEOUT_MS = 10_000;
const HEAD_BYTES_MAX = 16 * 1024;
const CHECK_INTERVAL_MS = 1_000;
/** Bodies are read by nobody. */
const BODY_BYTES_MAX = 64 * 1024;
/** An answer that its client does not read. */
const ANSWER_IDLE_MS = 60_000;

const LIMITS = {
  headersTimeout: HEAD_TIMEOUT_MS,
  requestTimeout: HEAD_TIMEOUT_MS,
  maxHeaderSize: HEAD_BYTES_MAX,
  connectionsCheckingInterval: CHECK_INTERVAL_MS,
} as const;

/** As {@link Listen}. */
export async function listen(options: ListenOptions, handlers: WebHandlers): Promise<WebServer> {
  const { WebSocketServer } = await import("ws");
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: options.frameBytesMax,
    perMessageDeflate: false,
    handleProtocols: (offered) => offered.has(PROTOCOL) ? PROTOCOL : false,
  });
  const server = await makeServer(options);
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    if (open.size >= options.connectionsMax) return void socket.destroy();
    open.add(socket);
    socket.on("error", () => {}); // its end follows
    socket.on("close", () => open.delete(socket));
  });
  server.on("request", (request, response) => void respond(request, response, handlers));
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Uint8Array) => {
    const upgrade = handlers.upgrade(requestOf(request));
    if (upgrade.state === "refused") return void socket.end(plainAnswer(upgrade.answer));
    sockets.handleUpgrade(request, socket, Buffer.from(head), (client) => {
      new ClientSocket(client, upgrade.open);
    });
  });
  await listening(server, options);
  const place = server.address();
  return {
    port: typeof place === "object" && place !== null ? place.port : options.port,
    async [Symbol.asyncDispose]() {
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

async function makeServer({ tls }: ListenOptions): Promise<Server> {
  if (tls === undefined) return createServer(LIMITS);
  try {
    const [cert, key] = await Promise.all([
      Deno.readTextFile(tls.certFile),
      Deno.readTextFile(tls.keyFile),
    ]);
    const handshakeTimeout = HEAD_TIMEOUT_MS;
    return createTlsServer({ ...LIMITS, handshakeTimeout, minVersion: "TLSv1.2", cert, key });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const text = `Cannot use the certificate "${tls.certFile}": ${reason}; see ` +
      "channels.websocket.sslCertfile and sslKeyfile";
    throw new WebsocketSetupError(text, { cause: error });
  }
}

async function listening(server: Server, { host, port }: ListenOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, host, () => resolve());
  try {
    await promise;
  } catch (error) {
    server.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new ListenError(`Cannot listen on "${host}:${port}": ${reason}`, { cause: error });
  } finally {
    server.off("error", reject);
  }
  server.on("error", (error) => logger.warn("The server: {reason}", { reason: error.message }));
}

function requestOf(request: IncomingMessage): WebRequest {
  const url = URL.parse(request.url ?? "/", "http://host") ?? new URL("http://host/");
  return {
    method: request.method ?? "GET",
    path: normalisedPath(url.pathname),
    query: url.searchParams,
    header(name) {
      const value = request.headers[name];
      return (Array.isArray(value) ? value.join(", ") : value) ?? null;
    },
    remote: request.socket.remoteAddress ?? "",
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  handlers: WebHandlers,
): Promise<void> {
  dropBody(request);
  try {
    limitIdling(response);
    const { status, headers, body } = await handlers.answer(requestOf(request));
    response.writeHead(status, { ...headers, "x-content-type-options": "nosniff" });
    if (request.method === "HEAD" || typeof body === "string") {
      if (typeof body !== "string") await body.cancel();
      response.end(request.method === "HEAD" ? "" : body);
    } else await pour(body, response);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn("Cannot answer {method} {path}: {reason}", {
      method: request.method,
      path: requestOf(request).path,
      reason,
    });
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  }
}

/** Where Deno has no such limit (before 2.9), the number of connections alone is bounded. */
function limitIdling(response: ServerResponse): void {
  if (typeof response.setTimeout !== "function") return;
  response.setTimeout(ANSWER_IDLE_MS, () => void response.destroy());
}

/** Reads a body at the client's pace. */
async function pour(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const reading = Readable.from(body);
  response.once("close", () => {
    reading.destroy();
    resolve();
  });
  reading.once("error", () => response.destroy());
  reading.pipe(response);
  await ended;
}

/** Nobody reads bodies; a large one is the end of its connection. */
function dropBody(request: IncomingMessage): void {
  let bytes = 0;
  request.on("error", () => {});
  request.on("data", (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) request.destroy();
  });
}

/** An answer to a client that wanted a socket, word for word. */
function plainAnswer({ status, headers, body }: WebAnswer): string {
  const text = typeof body === "string" ? body : "";
  const all = {
    ...headers,
    "content-length": String(new TextEncoder().encode(text).length),
    connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Refused\r\n${lines.join("")}\r\n${text}`;
}
