/**
 * One call of the model, from the request to its outcome; text is passed on while it comes.
 * @module
 */

import {
  type Answerer,
  type ChatEvent,
  type ChatRequest,
  type ChatResponse,
  type Provider,
  ProviderError,
} from "../../providers/provider.ts";
import { unreachable } from "../kernel/invariant.ts";
import { eachUntilAborted } from "../kernel/aborting.ts";

/** How a call ended. */
export type ModelOutcome =
  | {
    readonly state: "answered";
    readonly response: ChatResponse;
    /** Who answered, where it was not the one that was asked. */
    readonly by: Answerer | null;
  }
  | { readonly state: "failed"; readonly error: ProviderError };

/** Told of text while it comes. */
export interface TextListener {
  /** More text, as the model wrote it. */
  grew(delta: string): void;
  /** More of what the model thinks before it writes. */
  thought(delta: string): void;
  /** All text of this call is void; it comes anew. */
  restarted(): void;
  /** The call failed and is repeated after a while. */
  waits(delayMs: number): void;
}

/** What a call needs besides its request. */
export interface ModelCallOptions {
  readonly provider: Provider;
  readonly listener: TextListener;
  readonly signal: AbortSignal;
}

/**
 * Calls the model once. A stream that ends without an outcome has failed.
 *
 * @throws the signal's reason when it aborts
 */
export async function callModel(
  request: ChatRequest,
  { provider, listener, signal }: ModelCallOptions,
): Promise<ModelOutcome> {
  signal.throwIfAborted();
  for await (const event of eachUntilAborted(provider.chat(request, signal), signal)) {
    const outcome = handle(event, listener);
    if (outcome === undefined) continue;
    signal.throwIfAborted();
    return outcome;
  }
  return { state: "failed", error: endedEarly(provider.name) };
}

function handle(event: ChatEvent, listener: TextListener): ModelOutcome | undefined {
  switch (event.type) {
    case "text":
      listener.grew(event.text);
      return undefined;
    case "restarted":
      listener.restarted();
      return undefined;
    case "reasoning":
      listener.thought(event.text);
      return undefined;
    case "waiting":
      listener.waits(event.delayMs);
      return undefined;
    case "finished":
      return { state: "answered", response: event.response, by: event.by ?? null };
    case "failed":
      return { state: "failed", error: event.error };
    default:
      return unreachable(event);
  }
}

function endedEarly(provider: string): ProviderError {
  return new ProviderError(`Cannot finish a call of "${provider}": its stream ended early`, {
    code: "provider_connection",
    recovery: "retry",
    userText: "The connection to the model broke off.",
  });
}
