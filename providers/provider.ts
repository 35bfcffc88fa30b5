/**
 * The provider contract: one configured upstream that answers chat requests. Conversation
 * messages have the shape of OpenAI chat completions; a backend turns them into its own.
 * @module
 */

import { GatewayError, type Recovery } from "../actors/kernel/errors.ts";
import type { JsonObject } from "../actors/kernel/json.ts";

/** Visible text. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

/** An image as a `data:` URL; `_meta` never leaves the gateway. */
export interface ImageBlock {
  readonly type: "image_url";
  readonly image_url: { readonly url: string };
  readonly _meta?: { readonly path: string };
}

/** One part of a message. */
export type ContentBlock = TextBlock | ImageBlock;

/** A call as it stands in the history: `arguments` is JSON text, as the model wrote it. */
export interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
  /** Vendor data that must come back unchanged, for instance Gemini's thought signature. */
  readonly extra_content?: JsonObject;
}

/** What the person, or a part of the gateway on their behalf, said. */
export interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly ContentBlock[];
}

/** What the model said. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly reasoning_content?: string;
  /** Signed thinking, sent back unchanged to the vendor that made it. */
  readonly thinking_blocks?: readonly JsonObject[];
}

/** The result of a tool call. */
export interface ToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly name: string;
  readonly content: string | readonly ContentBlock[];
}

/** Standing instructions. */
export interface SystemMessage {
  readonly role: "system";
  readonly content: string;
}

/** One message of a conversation. */
export type ChatMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** A tool as the model sees it; `parameters` is JSON Schema with an object at its root. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** What is asked of a model. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  /** Empty: the model cannot call tools. */
  readonly tools: readonly ToolDefinition[];
  /** Longest answer, in tokens. */
  readonly tokensMax: number;
  readonly temperature: number;
  /** `low`, `medium`, `high`, …; null leaves the vendor's own default. */
  readonly reasoningEffort: string | null;
  /** Same for all calls of one conversation, so that a router can keep its prompt cache. */
  readonly conversationId: string;
}

/** A call the model wants to have run. */
export interface RequestedCall {
  readonly call: ToolCall;
  /** The parsed arguments, or why they cannot be used (never repaired, never run). */
  readonly parsed:
    | { readonly state: "ok"; readonly value: JsonObject }
    | { readonly state: "invalid"; readonly problem: string };
}

/** Tokens of one call; what the vendor does not report is absent. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  /** Of the prompt: read from the vendor's cache, which is cheaper. */
  readonly cachedTokens?: number;
  /** Of the prompt: written to the vendor's cache, which is dearer. */
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** Why the model stopped; `length` alone means that the answer was cut off. */
export type FinishReason =
  | "stop"
  | "tool_calls"
  | "length"
  | "content_filter"
  | "refusal"
  | "other";

/** A whole answer. */
export interface ChatResponse {
  readonly content: string | null;
  readonly calls: readonly RequestedCall[];
  readonly finishReason: FinishReason;
  readonly usage: Usage | null;
  readonly reasoning: string | null;
  readonly thinkingBlocks: readonly JsonObject[];
}

/** Who gave an answer. */
export interface Answerer {
  /** Registry name. */
  readonly provider: string;
  readonly model: string;
}

/**
 * One event of an answer. `finished` or `failed` is the last one, always. After `restarted` all
 * text since the start is void and comes anew.
 */
export type ChatEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "restarted" }
  | {
    readonly type: "waiting";
    readonly delayMs: number;
    readonly attempt: number;
    readonly reason: string;
  }
  | {
    readonly type: "finished";
    readonly response: ChatResponse;
    /** Who answered, where it was not the one that was asked. */
    readonly by?: Answerer;
  }
  | { readonly type: "failed"; readonly error: ProviderError };

/** The kind of a provider's failure. */
export type ProviderFailure =
  | "provider_unconfigured"
  | "provider_auth"
  | "provider_quota"
  | "provider_rate_limited"
  | "provider_overloaded"
  | "provider_timeout"
  | "provider_connection"
  | "provider_bad_request"
  | "provider_context_too_long"
  | "provider_content_filter"
  | "provider_empty"
  /** Somebody else answered: a page or a redirect of another server, or of the network. */
  | "provider_web_page"
  | "provider_aborted";

/** What a provider error carries besides its text. */
export interface ProviderErrorDetail {
  readonly code: ProviderFailure;
  readonly recovery: Recovery;
  /** One short sentence for the chat: no vendor text, no secrets. */
  readonly userText: string;
  readonly status?: number | undefined;
  /** The wait that the vendor asked for. */
  readonly retryAfterMs?: number | undefined;
}

/** A call to a model that failed. `message` is for the log, redacted; `userText` for the chat. */
export class ProviderError extends GatewayError {
  override readonly name = "ProviderError";
  readonly code: ProviderFailure;
  readonly recovery: Recovery;
  readonly userText: string;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, detail: ProviderErrorDetail, options?: ErrorOptions) {
    super(message, options);
    this.code = detail.code;
    this.recovery = detail.recovery;
    this.userText = detail.userText;
    this.status = detail.status;
    this.retryAfterMs = detail.retryAfterMs;
  }
}

/** One upstream. */
export interface Provider {
  /** Registry name: `openai`, `custom`, … */
  readonly name: string;
  /**
   * Asks the model. Never throws for a failed call: the last event says so, with
   * `provider_aborted` when `signal` ended it.
   */
  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent>;
}
