/**
 * Asking a provider in tests.
 * @module
 */

import assert from "node:assert/strict";
import type {
  ChatEvent,
  ChatRequest,
  ChatResponse,
  Provider,
  ProviderError,
} from "../../providers/provider.ts";

/** A request that says "hi", changed by `changes`. */
export function chatRequest(changes: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: "test-model",
    messages: [{ role: "user", content: "hi" }],
    tools: [],
    tokensMax: 1_000,
    temperature: 0.1,
    reasoningEffort: null,
    conversationId: "cli:direct",
    ...changes,
  };
}

/** All events of one call. */
export function askAll(
  provider: Provider,
  changes: Partial<ChatRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ChatEvent[]> {
  return Array.fromAsync(provider.chat(chatRequest(changes), signal));
}

/** The response that the last event carries; fails the test when there is none. */
export function responseOf(events: readonly ChatEvent[]): ChatResponse {
  const last = events.at(-1);
  assert.equal(last?.type, "finished", JSON.stringify(last));
  return last.response;
}

/** The error that the last event carries; fails the test when there is none. */
export function errorOf(events: readonly ChatEvent[]): ProviderError {
  const last = events.at(-1);
  assert.equal(last?.type, "failed", JSON.stringify(last));
  return last.error;
}
