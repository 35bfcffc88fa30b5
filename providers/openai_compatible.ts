/**
 * The backend for everything that speaks OpenAI's chat completions.
 * @module
 */

import {
  affinityHeaders,
  type BackendOptions,
  endpointOf,
  faultContextOf,
  wireModelOf,
  withLastEvent,
} from "./backend.ts";
import type { ChosenProvider } from "./choice.ts";
import { ChatCompletions } from "./openai/completions.ts";
import { SdkWire } from "./openai/sdk_wire.ts";
import type { ChatEvent, ChatRequest, Provider } from "./provider.ts";

/** One upstream that speaks chat completions. */
export class OpenAiCompatibleProvider implements Provider {
  readonly name: string;
  readonly #choice: ChosenProvider;
  readonly #completions: ChatCompletions;

  constructor(choice: ChosenProvider, options: BackendOptions) {
    this.name = choice.vendor.name;
    this.#choice = choice;
    const wire = new SdkWire(endpointOf(choice), options.clock);
    this.#completions = new ChatCompletions(wire, { ...options, extraBody: choice.extraBody });
  }

  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent> {
    const answer = this.#completions.ask(request, {
      ...wireModelOf(this.#choice, request.model),
      headers: affinityHeaders(request),
      signal,
    });
    return withLastEvent(answer, () => faultContextOf(this.#choice));
  }
}
