/**
 * A scripted model behind OpenAI's chat completions API, on 127.0.0.1 and any free port.
 * As a program: `deno run -A tests/simulators/model_server.ts --script file.json --port 0`.
 * @module
 */

import { parseArgs } from "node:util";
import { z } from "zod";
import { renderCompletion, renderStep, withEnding } from "./model/rendering.ts";
import {
  type HttpReply,
  type ModelReply,
  type ModelScript,
  parseScript,
  type StepsReply,
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

/** A message as it was sent; keys that are not named here are there as well. */
export interface SentMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly [key: string]: unknown;
}

/** The body of a request; keys that are not named here are there as well. */
export interface ModelRequestBody {
  readonly model: string;
  readonly messages: readonly SentMessage[];
  readonly stream?: boolean | undefined;
  readonly stream_options?: { readonly include_usage?: boolean | undefined } | undefined;
  readonly [key: string]: unknown;
}

const requestBody: z.ZodType<ModelRequestBody> = z.looseObject({
  model: z.string(),
  messages: z.array(
    z.looseObject({ role: z.string(), content: z.unknown() }),
  ),
  stream: z.boolean().optional(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).optional(),
});

/** The text of the last user message of a request; "" when there is none. */
export function lastUserText(request: RecordedRequest): string {
  const content = request.body.messages.findLast(({ role }) => role === "user")?.content;
  if (typeof content === "string") return content;
  const blocks = z.array(z.object({ text: z.string().default("") })).safeParse(content);
  return blocks.success ? blocks.data.map(({ text }) => text).join("") : "";
}

/** How an exchange ended. `aborted`: the client went away first. */
export type ExchangeEnd = "finished" | "aborted" | "cut";

/** One request and what became of it. */
export interface RecordedRequest {
  /** 0 for the first request of this server. */
  readonly index: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ModelRequestBody;
  /** Running exchanges when this one began, itself included. */
  readonly concurrent: number;
  readonly ended: Promise<ExchangeEnd>;
  /** null while it runs. */
  readonly end: ExchangeEnd | null;
}

interface Exchange {
  readonly request: RecordedRequest;
  readonly finish: (end: ExchangeEnd) => void;
}

/** The server. Its script is a queue (a request too many gets a 400) or a function. */
export class ModelServer implements AsyncDisposable {
  /** Every request, in order of arrival. */
  readonly requests: RecordedRequest[] = [];
  /** Most exchanges that ran at once. */
  concurrentMax = 0;
  readonly #script: (request: RecordedRequest) => ModelReply | Promise<ModelReply>;
  readonly #queue: ModelReply[] = [];
  readonly #http: Deno.HttpServer<Deno.NetAddr>;
  readonly #closing = Promise.withResolvers<void>();
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  #running = 0;

  private constructor(script: ModelScript<RecordedRequest>, port: number) {
    if (typeof script === "function") {
      this.#script = script;
    } else {
      this.#queue.push(...script);
      this.#script = () => this.#queue.shift() ?? SCRIPT_IS_OVER;
    }
    this.#http = Deno.serve(
      { hostname: "127.0.0.1", port, onListen: () => {} },
      (request) => this.#answer(request),
    );
  }

  /**
   * Starts a server that answers as `script` says.
   *
   * @param script replies in order, or a function of the request
   */
  static start(
    script: ModelScript<RecordedRequest> = [],
    options: { readonly port?: number } = {},
  ): Promise<ModelServer> {
    return Promise.resolve(new ModelServer(script, options.port ?? 0));
  }

  /** Where it listens. */
  get port(): number {
    return this.#http.addr.port;
  }

  /** What a client takes as `apiBase`. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  /** Exchanges that run now. */
  get running(): number {
    return this.#running;
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
  async request(index: number): Promise<RecordedRequest> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count: index + 1, resolve });
    this.#wake();
    await promise;
    const request = this.requests[index];
    if (request === undefined) throw new RangeError(`Cannot find request ${index}: none arrived`);
    return request;
  }

  /** Ends every exchange that still runs and stops listening. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.resolve();
    await this.#http.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (request.method === "POST" && pathname === "/v1/chat/completions") {
      return await this.#complete(request);
    }
    if (request.method === "POST" && pathname.startsWith("/control/release/")) {
      this.release(decodeURIComponent(pathname.slice("/control/release/".length)));
      return Response.json({});
    }
    if (pathname === "/control/requests") {
      return Response.json(
        this.requests.map(({ headers, body, end }) => ({ headers, body, end })),
      );
    }
    return Response.json({ error: { message: `No route ${pathname}` } }, { status: 404 });
  }

  async #complete(request: Request): Promise<Response> {
    const parsed = requestBody.safeParse(await request.json());
    if (!parsed.success) {
      return Response.json({ error: { message: z.prettifyError(parsed.error) } }, { status: 400 });
    }
    const exchange = this.#record(request, parsed.data);
    const left = Promise.withResolvers<void>();
    request.signal.addEventListener("abort", () => left.resolve(), { once: true });
    try {
      const reply = await this.#script(exchange.request);
      const hold = this.#until(reply.headersAfter);
      if (await this.#first(hold, left.promise) === "left") {
        exchange.finish("aborted");
        return new Response(null, { status: 499 });
      }
      return "steps" in reply
        ? this.#stream(exchange, reply, left.promise)
        : answerPlainly(exchange, reply);
    } catch (error) {
      exchange.finish("cut");
      throw error;
    }
  }

  #record(request: Request, body: ModelRequestBody): Exchange {
    const { promise: ended, resolve } = Promise.withResolvers<ExchangeEnd>();
    let end: ExchangeEnd | null = null;
    this.#running += 1;
    this.concurrentMax = Math.max(this.concurrentMax, this.#running);
    const recorded: RecordedRequest = {
      index: this.requests.length,
      headers: Object.fromEntries(request.headers),
      body,
      concurrent: this.#running,
      ended,
      get end() {
        return end;
      },
    };
    const finish = (how: ExchangeEnd) => {
      if (end !== null) return;
      end = how;
      this.#running -= 1;
      resolve(how);
    };
    this.requests.push(recorded);
    this.#wake();
    return { request: recorded, finish };
  }

  #stream(exchange: Exchange, reply: StepsReply, left: Promise<void>): Response {
    const { body } = exchange.request;
    const isStreaming = body.stream ?? false;
    const wantsUsage = body.stream_options?.include_usage ?? false;
    const steps = withEnding(reply, wantsUsage || !isStreaming);
    if (!isStreaming) {
      exchange.finish("finished");
      return Response.json(renderCompletion(steps, body.model));
    }
    const canceled = Promise.withResolvers<void>();
    const gone = Promise.race([left, canceled.promise]);
    const encoder = new TextEncoder();
    const play = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      for (const step of steps) {
        if (exchange.request.end !== null) return;
        if (step.type === "cut") {
          exchange.finish("cut");
          if (step.how === "silent") return controller.close();
          return controller.error(new Error("cut by the script"));
        }
        if (step.type === "pause" || step.type === "stall") {
          const until = step.type === "pause" ? this.#until(step.until) : NEVER;
          const outcome = await this.#first(until, gone);
          if (outcome === "left") return exchange.finish("aborted");
          if (outcome === "closing") return endAtClose(exchange, controller);
          continue;
        }
        controller.enqueue(encoder.encode(renderStep(step, body.model)));
      }
      exchange.finish("finished");
      controller.close();
    };
    const stream = new ReadableStream<Uint8Array>({
      // Not awaited by `start`, so that the headers and the first events leave at once.
      start(controller) {
        play(controller).catch((error) => {
          exchange.finish("cut");
          controller.error(error);
        });
      },
      cancel() {
        exchange.finish("aborted");
        canceled.resolve();
      },
    });
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  }

  #until(until: Promise<unknown> | string | undefined): Promise<unknown> {
    if (until === undefined) return Promise.resolve();
    return typeof until === "string" ? this.#gate(until).promise : until;
  }

  #gate(name: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(name) ?? Promise.withResolvers<void>();
    this.#gates.set(name, gate);
    return gate;
  }

  #first(
    until: Promise<unknown>,
    left: Promise<void>,
  ): Promise<"released" | "left" | "closing"> {
    return Promise.race([
      until.then(() => "released" as const),
      left.then(() => "left" as const),
      this.#closing.promise.then(() => "closing" as const),
    ]);
  }

  #wake(): void {
    for (const waiting of this.#waiting) {
      if (this.requests.length >= waiting.count) waiting.resolve();
    }
  }
}

const NEVER = new Promise<never>(() => {});

const SCRIPT_IS_OVER: HttpReply = {
  status: 400,
  body: { error: { message: "The script has no reply left", type: "script_is_over" } },
};

function answerPlainly(exchange: Exchange, reply: HttpReply): Response {
  exchange.finish("finished");
  const { status, headers = {}, body } = reply;
  if (typeof body === "string") return new Response(body, { status, headers });
  return Response.json(body, { status, headers });
}

function endAtClose(
  exchange: Exchange,
  controller: ReadableStreamDefaultController<Uint8Array>,
): void {
  exchange.finish("cut");
  controller.error(new Error("the server closes"));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { script: { type: "string" }, port: { type: "string", default: "0" } },
  });
  const script = values.script === undefined
    ? () => ({ steps: [{ type: "text", text: "Hello from the simulated model." }] } as const)
    : parseScript(await Deno.readTextFile(values.script));
  const server = await ModelServer.start(script, { port: Number(values.port) });
  await Deno.stdout.write(new TextEncoder().encode(`${server.port}\n`));
}

if (import.meta.main) await main();
