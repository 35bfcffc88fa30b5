/**
 * OpenAI's Responses API as a protocol: one request in, the events of its answer out.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { JsonObject } from "../../actors/kernel/json.ts";
import type { Fault } from "../failures.ts";
import { ToolNames } from "../messages/tool_names.ts";
import type { ChatEvent, ChatRequest } from "../provider.ts";
import type { Answer, Wire } from "../wire/answer.ts";
import { readAnswer } from "../wire/attempt.ts";
import { mergeBody } from "../wire/extra_body.ts";
import type { ProtocolOptions, RequestOptions } from "../wire/protocol.ts";
import { type BodyOptions, buildBody } from "./body.ts";
import { type Concession, concessionFor, withConcessions } from "./concessions.ts";
import { ResponseFold } from "./fold.ts";

const logger = getLogger(["troupe", "providers", "responses"]);

/** Where and how an upstream has the API. */
export interface ResponsesOptions extends ProtocolOptions {
  /** @default "/responses" */
  readonly path?: string;
  /** Changes a body into what this upstream takes. */
  readonly adapt?: (body: JsonObject, request: ChatRequest) => JsonObject;
}

/** One upstream that speaks the Responses API. */
export class ResponsesApi {
  readonly #wire: Wire;
  readonly #options: ResponsesOptions;
  /** By model: what its server has refused. */
  readonly #concessions = new Map<string, Set<Concession>>();

  constructor(wire: Wire, options: ResponsesOptions) {
    this.#wire = wire;
    this.#options = options;
  }

  /** Yields what arrives; returns why there is no answer, or nothing after `finished`. */
  async *ask(
    request: ChatRequest,
    { model, traits, origin, headers, signal, onFinished }: RequestOptions,
  ): AsyncGenerator<ChatEvent, Fault | undefined> {
    const { clock, stallMs } = this.#options;
    const concessions = new Set(this.#concessions.get(model));
    while (true) {
      const tools = new ToolNames(request.tools.map(({ name }) => name));
      const whole = this.#body(request, { model, traits, tools, origin });
      const body = withConcessions(whole, concessions);
      const fault = yield* readAnswer(
        (signal) => this.#send(body, headers, signal),
        this.#fold(tools, origin),
        { clock, stallMs, signal, onFinished },
      );
      const concession = fault && concessionFor(fault, body);
      if (concession === undefined) return fault;
      concessions.add(concession);
      // What was refused of one conversation's past says nothing about others.
      if (concession !== "replay") this.#remember(model, concession);
      logger.info("Asking {model} again: its server refused {concession}", { model, concession });
    }
  }

  #body(request: ChatRequest, options: BodyOptions): JsonObject {
    const { adapt = (body: JsonObject) => body } = this.#options;
    return adapt(buildBody(request, options), request);
  }

  #send(
    body: JsonObject,
    headers: RequestOptions["headers"],
    signal: AbortSignal,
  ): Promise<Answer> {
    const { extraBody, path = "/responses" } = this.#options;
    return this.#wire.ask({ path, body: mergeBody(body, extraBody), headers }, signal);
  }

  #fold(tools: ToolNames, origin: string): ResponseFold {
    return new ResponseFold({
      newCallId: () => `call_${this.#options.newId()}`,
      toolName: (name) => tools.fromWire(name),
      origin,
    });
  }

  #remember(model: string, concession: Concession): void {
    const made = this.#concessions.get(model) ?? new Set();
    this.#concessions.set(model, made.add(concession));
  }
}
