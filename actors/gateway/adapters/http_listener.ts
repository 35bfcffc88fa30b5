/**
 * A server for HTTP, and what to say where there can be none.
 * @module
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getLogger } from "@logtape/logtape";
import { asError } from "../../kernel/errors.ts";
import { StartError } from "../errors.ts";
import { type Answer, answerOverNode } from "./web_over_node.ts";

const logger = getLogger(["troupe", "gateway", "http_listener"]);

/** Answers that are under way when the gateway stops have this long; their work has ended. */
const CLOSE_MS = 2_000;

/** How long connections may take, and how many there are. Milliseconds. */
export interface ConnectionLimits {
  /** For the head of a request. */
  readonly headMs: number;
  /** For all of a request; its reader may be stricter. */
  readonly requestMs: number;
  /** Between two requests. */
  readonly idleMs: number;
  /** For taking nothing of an answer. */
  readonly unreadMs: number;
  /** After this time a connection that is too slow is found. */
  readonly lookMs: number;
  readonly connectionsMax: number;
}

const LIMITS: ConnectionLimits = {
  headMs: 20_000,
  requestMs: 180_000,
  idleMs: 75_000, // longer than clients keep theirs: they are to end it
  unreadMs: 60_000,
  lookMs: 5_000,
  connectionsMax: 512,
};

/** Where to listen. */
export interface ListenPlace {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The section of the configuration that says so. */
  readonly section: "gateway" | "api";
  /** What people are told to ask for there, such as `/health`. */
  readonly path: string;
}

/**
 * Listens, and gives each request to `answer`, until it is disposed of. Connections that are too slow,
 * or too many, are ended (before Deno 2.9 the slow ones are not).
 */
export class HttpListener implements AsyncDisposable {
  /** For instance `http://127.0.0.1:18790/health`. */
  readonly url: string;
  readonly #server: Server;
  readonly #connections: Connections;

  private constructor(server: Server, connections: Connections, url: string) {
    this.#server = server;
    this.#connections = connections;
    this.url = url;
  }

  /** @throws {StartError} when the port is taken, or the host is no address of this machine */
  static async open(
    { host, port, section, path }: ListenPlace,
    answer: Answer,
    limits: ConnectionLimits = LIMITS,
  ): Promise<HttpListener> {
    const { unreadMs } = limits;
    const server = createServer({
      headersTimeout: limits.headMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: limits.lookMs,
    });
    const connections = new Connections(server, limits.connectionsMax);
    try {
      await listening(server, { host, port });
    } catch (error) {
      throw cannotListen(`${host}:${port}`, section, error);
    }
    const place = server.address();
    const isThere = typeof place === "object" && place !== null;
    const origin = `http://${host.includes(":") ? `[${host}]` : host}:${
      isThere ? place.port : port
    }`;
    server.on("request", (incoming, outgoing) => {
      answerOverNode(incoming, outgoing, { answer, origin, unreadMs }).catch((error: unknown) => {
        logger.warn("Cannot answer a request: {reason}", { reason: asError(error).message });
        outgoing.destroy();
      });
    });
    return new HttpListener(server, connections, origin + path);
  }

  /** Whoever never reads their answer holds nobody up. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_MS);
    this.#server.close(() => resolve());
    this.#connections.end();
    await closed;
    clearTimeout(timer);
    this.#connections.destroy();
  }
}

/** Those of one server: no more than there may be. */
class Connections {
  /** With their requests under way. */
  readonly #open = new Map<Socket, number>();
  #isEnding = false;

  constructor(server: Server, connectionsMax: number) {
    server.on("connection", (socket: Socket) => {
      socket.on("error", () => {}); // its end follows
      if (this.#open.size >= connectionsMax) return void socket.destroy();
      this.#open.set(socket, 0);
      socket.once("close", () => this.#open.delete(socket));
    });
    server.on("request", ({ socket }: IncomingMessage, outgoing: ServerResponse) => {
      this.#count(socket, 1);
      outgoing.once("close", () => this.#count(socket, -1));
    });
  }

  /** Ends each as soon as nothing is under way on it. */
  end(): void {
    this.#isEnding = true;
    for (const [socket, requests] of this.#open) if (requests === 0) socket.destroy();
  }

  destroy(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #count(socket: Socket, more: number): void {
    const requests = this.#open.get(socket);
    if (requests === undefined) return;
    this.#open.set(socket, requests + more);
    if (this.#isEnding && requests + more === 0) socket.end();
  }
}

async function listening(
  server: Server,
  { host, port }: Pick<ListenPlace, "host" | "port">,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, host, resolve);
  await promise;
  server.off("error", reject);
  server.on("error", (error) => logger.warn("The server: {reason}", { reason: error.message }));
}

function cannotListen(
  place: string,
  section: ListenPlace["section"],
  error: unknown,
): StartError {
  const cause = asError(error);
  const what = `Cannot listen on ${section}.host:${section}.port "${place}"`;
  const otherPort = `choose another ${section}.port or --port`;
  const code = "code" in cause ? cause.code : undefined;
  if (code === "EADDRINUSE") {
    const text = `${what}: another program listens there; ${otherPort}`;
    return new StartError("port_taken", text, { cause });
  }
  if (code === "EACCES") {
    const text = `${what}: ${cause.message}; ${otherPort}`;
    return new StartError("port_taken", text, { cause });
  }
  const text = `${what}: ${cause.message}; set ${section}.host to an address of this machine, ` +
    "such as 127.0.0.1";
  return new StartError("host_unusable", text, { cause });
}
