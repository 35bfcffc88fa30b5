/**
 * The backend for OpenAI itself, which has two protocols: models that think are asked through the
 * Responses API, all others, and where that does not work, through chat completions.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import {
  affinityHeaders,
  type BackendOptions,
  endpointOf,
  faultContextOf,
  wireModelOf,
  withLastEvent,
} from "./backend.ts";
import type { ChosenProvider } from "./choice.ts";
import { isThinking } from "./effort.ts";
import type { Fault } from "./failures.ts";
import { ChatCompletions } from "./openai/completions.ts";
import { SdkWire } from "./openai/sdk_wire.ts";
import type { ChatEvent, ChatRequest, Provider } from "./provider.ts";
import { ResponsesBreaker } from "./responses/breaker.ts";
import { ResponsesApi } from "./responses/responses_api.ts";
import type { RequestOptions } from "./wire/protocol.ts";

const logger = getLogger(["troupe", "providers", "openai"]);

/** OpenAI, or a server that has both of its protocols. */
export class OpenAiProvider implements Provider {
  readonly name: string;
  readonly #choice: ChosenProvider;
  readonly #completions: ChatCompletions;
  readonly #responses: ResponsesApi;
  readonly #breaker: ResponsesBreaker;

  constructor(choice: ChosenProvider, options: BackendOptions) {
    this.name = choice.vendor.name;
    this.#choice = choice;
    const wire = new SdkWire(endpointOf(choice), options.clock);
    const protocol = { ...options, extraBody: choice.extraBody };
    this.#completions = new ChatCompletions(wire, protocol);
    this.#responses = new ResponsesApi(wire, protocol);
    this.#breaker = new ResponsesBreaker(options.clock);
  }

  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent> {
    const options: RequestOptions = {
      ...wireModelOf(this.#choice, request.model),
      headers: affinityHeaders(request),
      signal,
    };
    return withLastEvent(this.#ask(request, options), () => faultContextOf(this.#choice));
  }

  async *#ask(
    request: ChatRequest,
    options: RequestOptions,
  ): AsyncGenerator<ChatEvent, Fault | undefined> {
    if (this.#choice.apiType === "responses") return yield* this.#responses.ask(request, options);
    const { reasoningEffort: effort } = request;
    const { model } = options;
    const isWanted = this.#wantsResponses(effort, options) && this.#breaker.allows(model, effort);
    if (!isWanted) return yield* this.#completions.ask(request, options);
    const onFinished = () => this.#breaker.succeeded(model, effort);
    const fault = yield* this.#responses.ask(request, { ...options, onFinished });
    if (fault === undefined || !lacksResponses(fault)) return fault;
    this.#breaker.failed(model, effort);
    logger.info("Asking {model} by chat completions: its server has no Responses API", { model });
    return yield* this.#completions.ask(request, options);
  }

  #wantsResponses(effort: string | null, { traits }: RequestOptions): boolean {
    const { apiType, baseUrl } = this.#choice;
    if (apiType === "chat_completions" || !isOfficial(baseUrl)) return false;
    return traits.wantsResponses || isThinking(effort, traits);
  }
}

/** OpenAI's own servers; others under the name of OpenAI rarely have the API. */
function isOfficial(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? "";
  return host === "api.openai.com" || host.endsWith(".api.openai.com");
}

const NO_ENDPOINT = /responses?\b.*\b(?:not|un)\s?(?:supported|found|available|implemented)/;
const NO_FIELD = new RegExp(
  "(?:unknown|unrecognized|unsupported|unexpected) (?:request )?(?:parameter|argument|field)" +
    String.raw`.*\b(?:input|instructions|max_output_tokens|previous_response|store|include)\b`,
);

/**
 * Whether a refusal means the API and not what was asked with it: a value that a model does not
 * take would be refused by chat completions as well.
 */
export function lacksResponses({ status, text, tokens }: Fault): boolean {
  if (status !== 400 && status !== 404 && status !== 405 && status !== 422) return false;
  if (tokens.includes("model_not_found")) return false;
  const words = text.toLowerCase();
  return NO_ENDPOINT.test(words) || NO_FIELD.test(words);
}
