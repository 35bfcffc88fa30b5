/**
 * The backend for Claude, and for those who copied Anthropic's Messages API. It needs no SDK: the
 * protocol is one POST and a stream of events.
 * @module
 */

import { MessagesApi } from "./anthropic/messages_api.ts";
import {
  affinityHeaders,
  type BackendOptions,
  endpointOf,
  faultContextOf,
  wireModelOf,
  withLastEvent,
} from "./backend.ts";
import type { ChosenProvider } from "./choice.ts";
import type { ChatEvent, ChatRequest, Provider } from "./provider.ts";
import { FetchWire } from "./wire/fetch_wire.ts";

/** The version of the API that all who copied it know. */
const API_VERSION = "2023-06-01";

/** One upstream that speaks the Messages API. */
export class AnthropicProvider implements Provider {
  readonly name: string;
  readonly #choice: ChosenProvider;
  readonly #api: MessagesApi;

  constructor(choice: ChosenProvider, options: BackendOptions) {
    this.name = choice.vendor.name;
    this.#choice = choice;
    const endpoint = endpointOf(
      // Some write the address with the version, some without.
      { ...choice, baseUrl: choice.baseUrl.replace(/\/v1$/, "") },
      { "x-api-key": choice.apiKey, "anthropic-version": API_VERSION },
    );
    const wire = new FetchWire(endpoint, options.clock);
    this.#api = new MessagesApi(wire, { ...options, extraBody: choice.extraBody });
  }

  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent> {
    const answer = this.#api.ask(request, {
      ...wireModelOf(this.#choice, request.model),
      headers: affinityHeaders(request),
      signal,
    });
    return withLastEvent(answer, () => faultContextOf(this.#choice));
  }
}
