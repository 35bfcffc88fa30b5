/**
 * OpenAI's chat completions as a protocol: one request in, the events of its answer out. What a
 * server refuses that others need is left out and asked again.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { JsonObject } from "../../actors/kernel/json.ts";
import type { Fault } from "../failures.ts";
import { ToolNames } from "../messages/tool_names.ts";
import type { ChatEvent, ChatRequest } from "../provider.ts";
import type { Traits } from "../trait_kinds.ts";
import type { Wire } from "../wire/answer.ts";
import { readAnswer } from "../wire/attempt.ts";
import { mergeBody } from "../wire/extra_body.ts";
import type { ProtocolOptions, RequestOptions } from "../wire/protocol.ts";
import { buildBody } from "./body.ts";
import { type Concession, concessionFor } from "./concessions.ts";
import { AnswerFold } from "./fold.ts";

const logger = getLogger(["troupe", "providers", "completions"]);

/** One upstream that speaks chat completions. */
export class ChatCompletions {
  readonly #wire: Wire;
  readonly #options: ProtocolOptions;
  /** What each model's server has refused. */
  readonly #concessions = new Map<string, Set<Concession>>();

  constructor(wire: Wire, options: ProtocolOptions) {
    this.#wire = wire;
    this.#options = options;
  }

  /** Yields what arrives; returns why there is no answer, or nothing after `finished`. */
  async *ask(
    request: ChatRequest,
    { model, traits, headers, signal }: RequestOptions,
  ): AsyncGenerator<ChatEvent, Fault | undefined> {
    const { clock, stallMs, extraBody } = this.#options;
    const concessions = this.#concessionsOf(model);
    while (true) {
      const tools = new ToolNames(request.tools.map(({ name }) => name));
      const body = mergeBody(buildBody(request, { model, traits, tools, concessions }), extraBody);
      const fold = this.#fold(traits, tools);
      const fault = yield* readAnswer(
        (signal) => this.#wire.ask({ path: "/chat/completions", body, headers }, signal),
        fold,
        { clock, stallMs, signal },
      );
      const concession = fault && concessionFor(fault, concessions);
      if (concession === undefined || !hasField(body, concession)) return fault;
      concessions.add(concession);
      logger.info("Asking {model} again: its server refused {concession}", { model, concession });
    }
  }

  #concessionsOf(model: string): Set<Concession> {
    const made = this.#concessions.get(model) ?? new Set();
    this.#concessions.set(model, made);
    return made;
  }

  #fold({ answersInReasoning }: Traits, tools: ToolNames): AnswerFold {
    return new AnswerFold({
      newCallId: () => `call_${this.#options.newId()}`,
      toolName: (name) => tools.fromWire(name),
      isTool: (name) => tools.has(name),
      answersInReasoning,
    });
  }
}

/** Whether a concession would change anything: the refused field was sent, as far as that is plain. */
function hasField(body: JsonObject, concession: Concession): boolean {
  switch (concession) {
    case "stream_options":
    case "temperature":
    case "tools":
      return concession in body;
    case "effort":
      return ["reasoning_effort", "reasoning", "enable_thinking"].some((field) => field in body);
    case "limit_field":
    case "reasoning_content":
      return true;
  }
}
