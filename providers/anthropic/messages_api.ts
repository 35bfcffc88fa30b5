/**
 * Anthropic's Messages API as a protocol: one request in, the events of its answer out.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Fault } from "../failures.ts";
import { ToolNames } from "../messages/tool_names.ts";
import type { ChatEvent, ChatRequest } from "../provider.ts";
import type { Wire } from "../wire/answer.ts";
import { readAnswer } from "../wire/attempt.ts";
import { mergeBody } from "../wire/extra_body.ts";
import type { ProtocolOptions, RequestOptions } from "../wire/protocol.ts";
import { buildBody } from "./body.ts";
import { type Concession, concessionFor, withConcessions } from "./concessions.ts";
import { MessageFold } from "./fold.ts";

const logger = getLogger(["troupe", "providers", "messages"]);

/** One upstream that speaks the Messages API. */
export class MessagesApi {
  readonly #wire: Wire;
  readonly #options: ProtocolOptions;
  /** By model: what its server has refused. */
  readonly #concessions = new Map<string, Set<Concession>>();

  constructor(wire: Wire, options: ProtocolOptions) {
    this.#wire = wire;
    this.#options = options;
  }

  /** Yields what arrives; returns why there is no answer, or nothing after `finished`. */
  async *ask(
    asked: ChatRequest,
    options: RequestOptions,
  ): AsyncGenerator<ChatEvent, Fault | undefined> {
    const { model, origin, headers, signal, onFinished } = options;
    const { clock, stallMs, extraBody } = this.#options;
    const concessions = this.#concessionsOf(model);
    while (true) {
      const { request, traits } = withConcessions(asked, options.traits, concessions);
      const tools = new ToolNames(request.tools.map(({ name }) => name));
      const body = mergeBody(buildBody(request, { model, traits, tools, origin }), extraBody);
      const fault = yield* readAnswer(
        (signal) => this.#wire.ask({ path: "/v1/messages", body, headers }, signal),
        this.#fold(tools, origin),
        { clock, stallMs, signal, onFinished },
      );
      const concession = fault && concessionFor(fault, body);
      if (concession === undefined || concessions.has(concession)) return fault;
      concessions.add(concession);
      logger.info("Asking {model} again: its server refused {concession}", { model, concession });
    }
  }

  #concessionsOf(model: string): Set<Concession> {
    const made = this.#concessions.get(model) ?? new Set();
    this.#concessions.set(model, made);
    return made;
  }

  #fold(tools: ToolNames, origin: string): MessageFold {
    return new MessageFold({
      newCallId: () => `toolu_${this.#options.newId()}`,
      toolName: (name) => tools.fromWire(name),
      origin,
    });
  }
}
