/**
 * The backend for GitHub Copilot, which has both of OpenAI's protocols: the models that think are
 * only reached through the Responses API, all others through chat completions.
 * @module
 */

import { AuthorizedWire } from "./auth/authorized_wire.ts";
import { type CopilotTokens, EDITOR_HEADERS } from "./auth/copilot_tokens.ts";
import type { SharedTokens } from "./auth/shared_tokens.ts";
import {
  type BackendOptions,
  endpointOf,
  faultContextOf,
  wireModelOf,
  withLastEvent,
} from "./backend.ts";
import type { ChosenProvider } from "./choice.ts";
import type { FaultContext } from "./failures.ts";
import { hasImages } from "./images.ts";
import { ChatCompletions } from "./openai/completions.ts";
import { SdkWire } from "./openai/sdk_wire.ts";
import type { ChatEvent, ChatRequest, Provider } from "./provider.ts";
import { ResponsesApi } from "./responses/responses_api.ts";
import type { WireRequest } from "./wire/answer.ts";
import type { RequestOptions } from "./wire/protocol.ts";

export { copilotTokens } from "./auth/copilot_tokens.ts";

const SIGN_IN_TEXT = "The model request failed: GitHub Copilot is not logged in, or the account " +
  "has no Copilot. Run: provider login github-copilot";

/** What the backend needs besides its choice. */
export interface CopilotOptions extends BackendOptions {
  readonly tokens: SharedTokens<CopilotTokens>;
}

/** An account with Copilot. */
export class CopilotProvider implements Provider {
  readonly name: string;
  readonly #choice: ChosenProvider;
  readonly #completions: ChatCompletions;
  readonly #responses: ResponsesApi;
  /** Those in use, to be kept out of errors. */
  #secrets: readonly string[] = [];

  constructor(choice: ChosenProvider, { tokens, ...options }: CopilotOptions) {
    this.name = choice.vendor.name;
    this.#choice = choice;
    const wire = new AuthorizedWire(
      new SdkWire(endpointOf(choice, EDITOR_HEADERS), options.clock),
      tokens,
      (request, current) => this.#authorize(request, current),
    );
    const protocol = { ...options, extraBody: choice.extraBody };
    this.#completions = new ChatCompletions(wire, protocol);
    this.#responses = new ResponsesApi(wire, protocol);
  }

  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent> {
    const options: RequestOptions = {
      ...wireModelOf(this.#choice, request.model),
      headers: hasImages(request.messages) ? { "copilot-vision-request": "true" } : {},
      signal,
    };
    const answer = options.traits.wantsResponses
      ? this.#responses.ask(request, options)
      : this.#completions.ask(request, options);
    return withLastEvent(answer, () => this.#faultContext());
  }

  #authorize(request: WireRequest, { access, copilot }: CopilotTokens): WireRequest {
    const { vendor, baseUrl } = this.#choice;
    const token = copilot?.token ?? "";
    this.#secrets = [access, token];
    // Plans of companies have servers of their own; an address that the user wrote wins.
    const api = baseUrl === vendor.defaultBaseUrl ? copilot?.api : undefined;
    return {
      ...request,
      path: api === undefined ? request.path : `${api}${request.path}`,
      headers: { ...request.headers, authorization: `Bearer ${token}` },
    };
  }

  #faultContext(): FaultContext {
    return { ...faultContextOf(this.#choice, this.#secrets), authText: SIGN_IN_TEXT };
  }
}
