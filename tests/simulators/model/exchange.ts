/**
 * One request to the simulated model, from its arrival to its end.
 * @module
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { newRendering, type Protocol } from "./protocol.ts";
import { withEnding } from "./rendering.ts";
import type { HttpReply, ModelReply, StepsReply } from "./script.ts";

/** A message as it was sent; keys that are not named here are there as well. */
export interface SentMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly [key: string]: unknown;
}

/** The body of a request; keys that are not named here are there as well. */
export interface ModelRequestBody {
  readonly model: string;
  /** Empty for protocols that call them otherwise. */
  readonly messages: readonly SentMessage[];
  readonly stream?: boolean | undefined;
  readonly stream_options?: { readonly include_usage?: boolean | undefined } | undefined;
  readonly [key: string]: unknown;
}

/** The door for what clients send. */
export const requestBody: z.ZodType<ModelRequestBody> = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })).default(
    [],
  ),
  stream: z.boolean().optional(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).optional(),
});

/** How an exchange ended. `aborted`: the client went away first. */
export type ExchangeEnd = "finished" | "aborted" | "cut";

/** One request and what became of it. */
export interface RecordedRequest {
  /** 0 for the first request of this server. */
  readonly index: number;
  readonly path: string;
  /** With its question mark; "" for none. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ModelRequestBody;
  /** Running exchanges when this one began, itself included. */
  readonly concurrent: number;
  readonly ended: Promise<ExchangeEnd>;
  /** null while it runs. */
  readonly end: ExchangeEnd | null;
}

/** What an exchange needs to know besides its request. */
export interface ExchangeOptions {
  readonly index: number;
  readonly path: string;
  readonly query: string;
  readonly protocol: Protocol;
  readonly concurrent: number;
  /** What `until` of a pause stands for. */
  readonly gate: (until: Promise<unknown> | string) => Promise<unknown>;
}

/** Plays a reply to one request and notes how it ended. */
export class Exchange {
  readonly request: RecordedRequest;
  readonly #response: ServerResponse;
  readonly #options: ExchangeOptions;
  readonly #ended = Promise.withResolvers<ExchangeEnd>();
  #end: ExchangeEnd | null = null;

  constructor(
    incoming: IncomingMessage,
    response: ServerResponse,
    body: ModelRequestBody,
    options: ExchangeOptions,
  ) {
    this.#response = response;
    this.#options = options;
    const end = () => this.#end;
    this.request = {
      index: options.index,
      path: options.path,
      query: options.query,
      headers: Object.fromEntries(
        Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      ),
      body,
      concurrent: options.concurrent,
      ended: this.#ended.promise,
      get end() {
        return end();
      },
    };
    response.on("close", () => this.#finish(response.writableFinished ? "finished" : "aborted"));
  }

  /** Sends `reply`; resolves when all of it has been handed over or the exchange has ended. */
  async play(reply: ModelReply): Promise<void> {
    if (reply.headersAfter !== undefined) await this.#wait(reply.headersAfter);
    if (this.#end !== null) return;
    if (!("steps" in reply)) return this.#answerPlainly(reply);
    if (this.request.body.stream === true && !reply.isWhole) return await this.#stream(reply);
    const rendering = newRendering(this.#options.protocol, this.request.body.model);
    const body = rendering.whole(withEnding(reply, true));
    this.#answerPlainly({ status: 200, body });
  }

  /** Breaks the connection. */
  cut(): void {
    this.#finish("cut");
    this.#response.destroy();
  }

  async #stream(reply: StepsReply): Promise<void> {
    const { model, stream_options } = this.request.body;
    const { protocol } = this.#options;
    const rendering = newRendering(protocol, model);
    const wantsUsage = protocol !== "chat_completions" || stream_options?.include_usage === true;
    this.#response.writeHead(200, { "content-type": "text/event-stream" });
    this.#response.flushHeaders();
    for (const step of withEnding(reply, wantsUsage)) {
      if (this.#end !== null) return;
      if (step.type === "cut" && step.how === "reset") return this.cut();
      if (step.type === "cut") break;
      if (step.type === "pause") await this.#wait(step.until);
      else if (step.type === "stall") await this.#ended.promise;
      else await this.#write(rendering.step(step));
    }
    this.#response.end();
  }

  /** Resolves when the bytes have left, so that a cut after them loses none. */
  #write(text: string): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#response.write(text, () => resolve());
    return Promise.race([promise, this.#ended.promise]);
  }

  #wait(until: Promise<unknown> | string): Promise<unknown> {
    return Promise.race([this.#options.gate(until), this.#ended.promise]);
  }

  #answerPlainly({ status, headers = {}, body }: HttpReply): void {
    const isText = typeof body === "string";
    const type = isText ? "text/plain; charset=utf-8" : "application/json";
    this.#response.writeHead(status, { "content-type": type, ...headers });
    this.#response.end(isText ? body : JSON.stringify(body));
  }

  #finish(end: ExchangeEnd): void {
    if (this.#end !== null) return;
    this.#end = end;
    this.#ended.resolve(end);
  }
}
