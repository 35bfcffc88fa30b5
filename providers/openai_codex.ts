/**
 * The backend for OpenAI Codex: the Responses API with a ChatGPT plan in place of a key.
 * @module
 */

import type { JsonObject, JsonValue } from "../actors/kernel/json.ts";
import { AuthorizedWire } from "./auth/authorized_wire.ts";
import type { CodexTokens } from "./auth/codex_tokens.ts";
import type { SharedTokens } from "./auth/shared_tokens.ts";
import {
  affinityOf,
  type BackendOptions,
  endpointOf,
  faultContextOf,
  wireModelOf,
  withLastEvent,
} from "./backend.ts";
import type { ChosenProvider } from "./choice.ts";
import type { FaultContext } from "./failures.ts";
import type { ChatEvent, ChatRequest, Provider } from "./provider.ts";
import { ResponsesApi } from "./responses/responses_api.ts";
import type { WireRequest } from "./wire/answer.ts";
import { FetchWire } from "./wire/fetch_wire.ts";

export { codexTokens } from "./auth/codex_tokens.ts";

/** Sent where a conversation has no instructions of its own: the server insists on some. */
const PLAIN_INSTRUCTIONS = "You are a helpful assistant.";

const SIGN_IN_TEXT = "The model request failed: OpenAI Codex is not signed in, or the sign-in " +
  "is no longer good. Run: provider login openai-codex";

/** What the backend needs besides its choice. */
export interface CodexOptions extends BackendOptions {
  readonly tokens: SharedTokens<CodexTokens>;
}

/** A ChatGPT plan. */
export class CodexProvider implements Provider {
  readonly name: string;
  readonly #choice: ChosenProvider;
  readonly #responses: ResponsesApi;
  /** Those in use, to be kept out of errors. */
  #secrets: readonly string[] = [];

  constructor(choice: ChosenProvider, { tokens, ...options }: CodexOptions) {
    this.name = choice.vendor.name;
    this.#choice = choice;
    const plain = new FetchWire(endpointOf(choice, {}), options.clock);
    const wire = new AuthorizedWire(
      plain,
      tokens,
      (request, current) => this.#authorize(request, current),
    );
    const { extraBody } = choice;
    this.#responses = new ResponsesApi(wire, {
      ...options,
      extraBody,
      path: "/codex/responses",
      adapt: toCodexBody,
    });
  }

  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent> {
    const answer = this.#responses.ask(request, {
      ...wireModelOf(this.#choice, request.model),
      headers: {},
      signal,
    });
    return withLastEvent(answer, () => this.#faultContext());
  }

  #authorize(request: WireRequest, { access, refresh, account_id: account }: CodexTokens) {
    this.#secrets = [access, refresh];
    return {
      ...request,
      headers: {
        ...request.headers,
        accept: "text/event-stream",
        authorization: `Bearer ${access}`,
        "openai-beta": "responses=experimental",
        originator: "troupe",
        ...(account !== undefined && { "chatgpt-account-id": account }),
      },
    };
  }

  #faultContext(): FaultContext {
    return { ...faultContextOf(this.#choice, this.#secrets), authText: SIGN_IN_TEXT };
  }
}

/** A plan sets its own limits and temperature, and caches prompts under a key of ours. */
function toCodexBody(body: JsonObject, { conversationId }: ChatRequest): JsonObject {
  const { max_output_tokens: _limit, temperature: _temperature, ...rest } = body;
  const adapted: Record<string, JsonValue> = {
    ...rest,
    instructions: rest["instructions"] ?? PLAIN_INSTRUCTIONS,
    text: { verbosity: "medium" },
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: affinityOf(conversationId),
    tool_choice: "auto",
    parallel_tool_calls: true,
  };
  return adapted;
}
