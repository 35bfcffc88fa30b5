/**
 * Anthropic's Messages API as a protocol: one request in, the events of its answer out.
 * @module
 */

import type { Fault } from "../failures.ts";
import { ToolNames } from "../messages/tool_names.ts";
import type { ChatEvent, ChatRequest } from "../provider.ts";
import type { Wire } from "../wire/answer.ts";
import { readAnswer } from "../wire/attempt.ts";
import { mergeBody } from "../wire/extra_body.ts";
import type { ProtocolOptions, RequestOptions } from "../wire/protocol.ts";
import { buildBody } from "./body.ts";
import { MessageFold } from "./fold.ts";

/** One upstream that speaks the Messages API. */
export class MessagesApi {
  readonly #wire: Wire;
  readonly #options: ProtocolOptions;

  constructor(wire: Wire, options: ProtocolOptions) {
    this.#wire = wire;
    this.#options = options;
  }

  /** Yields what arrives; returns why there is no answer, or nothing after `finished`. */
  ask(
    request: ChatRequest,
    { model, traits, origin, headers, signal }: RequestOptions,
  ): AsyncGenerator<ChatEvent, Fault | undefined> {
    const { clock, newId, stallMs, extraBody } = this.#options;
    const tools = new ToolNames(request.tools.map(({ name }) => name));
    const body = mergeBody(buildBody(request, { model, traits, tools, origin }), extraBody);
    const fold = new MessageFold({
      newCallId: () => `toolu_${newId()}`,
      toolName: (name) => tools.fromWire(name),
      origin,
    });
    return readAnswer(
      (signal) => this.#wire.ask({ path: "/v1/messages", body, headers }, signal),
      fold,
      { clock, stallMs, signal },
    );
  }
}
