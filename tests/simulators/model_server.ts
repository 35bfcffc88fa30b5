/**
 * A scripted model on 127.0.0.1 and any free port. It speaks OpenAI's chat completions and
 * Responses and Anthropic's Messages, whichever the path names.
 * As a program: `deno run -A tests/simulators/model_server.ts --script file.json --port 0`.
 * @module
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { z } from "zod";
import { Exchange, type RecordedRequest, requestBody } from "./model/exchange.ts";
import { type Protocol, protocolAt } from "./model/protocol.ts";
import {
  type HttpReply,
  type ModelReply,
  type ModelScript,
  parseScript,
  say,
} from "./model/script.ts";

export { callTool, callTools, refuse, say } from "./model/script.ts";
export type {
  CallDelta,
  HttpReply,
  ModelReply,
  ModelScript,
  StepsReply,
  StreamStep,
} from "./model/script.ts";
export type {
  ExchangeEnd,
  ModelRequestBody,
  RecordedRequest,
  SentMessage,
} from "./model/exchange.ts";

/** The text of the last user message of a request; "" when there is none. */
export function lastUserText(request: RecordedRequest): string {
  const content = request.body.messages.findLast(({ role }) => role === "user")?.content;
  if (typeof content === "string") return content;
  const blocks = z.array(z.object({ text: z.string().default("") })).safeParse(content);
  return blocks.success ? blocks.data.map((block) => block.text).join("") : "";
}

/** The server. Its script is a queue (a request too many gets a 400) or a function. */
export class ModelServer implements AsyncDisposable {
  /** Every request, in order of arrival. */
  readonly requests: RecordedRequest[] = [];
  /** Most exchanges that ran at once. */
  concurrentMax = 0;
  /** Connections that were ever made. */
  connections = 0;
  readonly #script: (request: RecordedRequest) => ModelReply | Promise<ModelReply>;
  readonly #queue: ModelReply[] = [];
  readonly #http: Server;
  readonly #running = new Set<Exchange>();
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();
  readonly #arrivals: PromiseWithResolvers<RecordedRequest>[] = [];
  #port = 0;

  private constructor(script: ModelScript<RecordedRequest>) {
    if (typeof script === "function") {
      this.#script = script;
    } else {
      this.#queue.push(...script);
      this.#script = () => this.#queue.shift() ?? SCRIPT_IS_OVER;
    }
    this.#http = createServer((incoming, response) => {
      this.#route(incoming, response).catch((error) => response.destroy(error));
    });
    this.#http.on("connection", () => this.connections++);
  }

  /**
   * Starts a server that answers as `script` says.
   *
   * @param script replies in order, or a function of the request
   */
  static async start(
    script: ModelScript<RecordedRequest> = [],
    options: { readonly port?: number } = {},
  ): Promise<ModelServer> {
    const server = new ModelServer(script);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.#http.once("error", reject);
    server.#http.listen(options.port ?? 0, "127.0.0.1", () => resolve());
    await promise;
    const address = server.#http.address();
    if (address === null || typeof address === "string") throw new TypeError("no port");
    server.#port = address.port;
    return server;
  }

  /** Where it listens. */
  get port(): number {
    return this.#port;
  }

  /** What a client takes as `apiBase`. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  /** Exchanges that run now. */
  get running(): number {
    return this.#running.size;
  }

  /** Adds replies to the end of the queue. */
  push(...replies: readonly ModelReply[]): void {
    this.#queue.push(...replies);
  }

  /** Lets everything go on that pauses at `gate`, now or later. */
  release(gate: string): void {
    this.#gate(gate).resolve();
  }

  /** Resolves with request number `index` (0 is the first) once it has arrived. */
  request(index: number): Promise<RecordedRequest> {
    return this.#arrival(index).promise;
  }

  /** Breaks every exchange that still runs and stops listening. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const exchange of this.#running) exchange.cut();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#http.close(() => resolve());
    this.#http.closeAllConnections();
    await promise;
  }

  async #route(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(incoming.url ?? "/", this.baseUrl);
    const body = await text(incoming);
    const protocol = incoming.method === "POST" ? protocolAt(pathname) : undefined;
    if (protocol !== undefined) {
      return await this.#complete(incoming, response, {
        path: pathname,
        query: search,
        body,
        protocol,
      });
    }
    if (incoming.method === "POST" && pathname.startsWith(RELEASE_PATH)) {
      this.release(decodeURIComponent(pathname.slice(RELEASE_PATH.length)));
      return sendJson(response, 200, {});
    }
    if (pathname === "/control/requests") return sendJson(response, 200, this.requests);
    sendJson(response, 404, { error: { message: `No route ${pathname}` } });
  }

  async #complete(
    incoming: IncomingMessage,
    response: ServerResponse,
    { path, query, body, protocol }: {
      readonly path: string;
      readonly query: string;
      readonly body: string;
      readonly protocol: Protocol;
    },
  ): Promise<void> {
    const parsed = requestBody.safeParse(JSON.parse(body));
    if (!parsed.success) {
      return sendJson(response, 400, { error: { message: z.prettifyError(parsed.error) } });
    }
    const exchange = new Exchange(incoming, response, parsed.data, {
      index: this.requests.length,
      path,
      query,
      protocol,
      concurrent: this.#running.size + 1,
      gate: (until) => typeof until === "string" ? this.#gate(until).promise : until,
    });
    this.#running.add(exchange);
    this.concurrentMax = Math.max(this.concurrentMax, this.#running.size);
    exchange.request.ended.then(() => this.#running.delete(exchange));
    this.requests.push(exchange.request);
    this.#arrival(exchange.request.index).resolve(exchange.request);
    try {
      await exchange.play(await this.#script(exchange.request));
    } catch (error) {
      exchange.cut();
      throw error;
    }
  }

  #gate(name: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(name) ?? Promise.withResolvers<void>();
    this.#gates.set(name, gate);
    return gate;
  }

  #arrival(index: number): PromiseWithResolvers<RecordedRequest> {
    return this.#arrivals[index] ??= Promise.withResolvers<RecordedRequest>();
  }
}

const RELEASE_PATH = "/control/release/";

const SCRIPT_IS_OVER: HttpReply = {
  status: 400,
  body: { error: { message: "The script has no reply left", type: "script_is_over" } },
};

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { script: { type: "string" }, port: { type: "string", default: "0" } },
  });
  const script = values.script === undefined
    ? () => say("Hello from the simulated model.")
    : parseScript(await Deno.readTextFile(values.script));
  const server = await ModelServer.start(script, { port: Number(values.port) });
  await Deno.stdout.write(new TextEncoder().encode(`${server.port}\n`));
}

if (import.meta.main) await main();
