/**
 * The backend for Azure OpenAI, which has the Responses API below the address of a resource. The
 * model's name is that of a deployment.
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
import { SdkWire } from "./openai/sdk_wire.ts";
import type { ChatEvent, ChatRequest, Provider } from "./provider.ts";
import { ResponsesApi } from "./responses/responses_api.ts";
import { bearer } from "./wire/endpoint.ts";

/** Behind the address of a resource. */
const API_PATH = "/openai/v1";

/** A resource on Azure, or a proxy with the same API. */
export class AzureOpenAiProvider implements Provider {
  readonly name: string;
  readonly #choice: ChosenProvider;
  readonly #responses: ResponsesApi;

  constructor(choice: ChosenProvider, options: BackendOptions) {
    this.name = choice.vendor.name;
    this.#choice = choice;
    const { apiKey, extraBody } = choice;
    const baseUrl = choice.baseUrl.endsWith(API_PATH)
      ? choice.baseUrl
      : `${choice.baseUrl}${API_PATH}`;
    const endpoint = endpointOf({ ...choice, baseUrl }, { ...bearer(apiKey), "api-key": apiKey });
    const wire = new SdkWire(endpoint, options.clock);
    this.#responses = new ResponsesApi(wire, { ...options, extraBody });
  }

  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent> {
    const answer = this.#responses.ask(request, {
      ...wireModelOf(this.#choice, request.model),
      headers: affinityHeaders(request),
      signal,
    });
    return withLastEvent(answer, () => faultContextOf(this.#choice));
  }
}
