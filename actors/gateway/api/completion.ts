/**
 * Answers in the shapes of OpenAI's chat completions.
 * @module
 */

import type { ExchangeEnd, ExchangeUsage } from "../exchange/exchange_events.ts";
import { ApiError } from "./api_error.ts";

/** What all parts of one answer have in common. */
export interface CompletionHead {
  readonly id: string;
  /** Epoch seconds. */
  readonly created: number;
  readonly model: string;
}

/** How an answer ended, or null while it has not. */
export type CompletionFinish = Extract<ExchangeEnd, { type: "finished" }>["finishReason"] | null;

/** A whole answer. */
export function completion(
  head: CompletionHead,
  content: string,
  { finishReason, usage }: Extract<ExchangeEnd, { type: "finished" }>,
): Record<string, unknown> {
  return {
    ...{ id: head.id, object: "chat.completion", created: head.created, model: head.model },
    choices: [{
      index: 0,
      message: { role: "assistant", content, refusal: null },
      logprobs: null,
      finish_reason: finishReason,
    }],
    usage: usageBody(usage),
  };
}

/** What a part of an answer adds. */
export interface CompletionDelta {
  readonly role?: "assistant";
  readonly content?: string;
}

/** A part of an answer. @param usage null where the last part will tell; left out where none does */
export function chunk(
  head: CompletionHead,
  delta: CompletionDelta,
  finish: CompletionFinish,
  usage?: null,
): Record<string, unknown> {
  return {
    ...chunkHead(head),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(usage === null && { usage }),
  };
}

/** The part that tells what was used. */
export function usageChunk(head: CompletionHead, usage: ExchangeUsage): Record<string, unknown> {
  return { ...chunkHead(head), choices: [], usage: usageBody(usage) };
}

function chunkHead({ id, created, model }: CompletionHead): Record<string, unknown> {
  return { id, object: "chat.completion.chunk", created, model };
}

function usageBody(usage: ExchangeUsage): Record<string, unknown> {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.totalTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

/** What a request is told that has no good answer. What was worked on is never repeated by itself. */
export function failureOf({ reason, text }: Extract<ExchangeEnd, { type: "failed" }>): ApiError {
  const type = "server_error";
  switch (reason) {
    case "not_taken":
      return new ApiError(reason, text, { status: 503, type, mayRepeat: true });
    case "turn_failed":
      return new ApiError(reason, text, { status: 500, type });
    case "stopped":
      return new ApiError(reason, text, { status: 409, type });
    case "gateway_stopped":
      return new ApiError(reason, text, { status: 503, type });
  }
}
