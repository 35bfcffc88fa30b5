/**
 * Stands where a provider would be while none is set up: it answers with how to set one up.
 * @module
 */

import { type ChatEvent, type Provider, ProviderError } from "./provider.ts";

/** How to set a provider up, for people; `configPath` is the file to edit. */
export function howToConfigure(configPath: string): string {
  return `No model provider is set up yet. Put a key into ${configPath}, for example:\n\n` +
    '```json\n{ "providers": { "openrouter": { "apiKey": "sk-or-..." } } }\n```\n\n' +
    "or, for any OpenAI-compatible server:\n\n" +
    '```json\n{\n  "agents": { "defaults": { "provider": "custom", "model": "my-model" } },\n' +
    '  "providers": { "custom": { "apiBase": "http://127.0.0.1:8080/v1", "apiKey": "..." } }\n}\n' +
    "```\n\nThen start the gateway again.";
}

/**
 * A provider that fails each call with `provider_unconfigured`.
 *
 * @param howTo what people are told
 */
export function unconfiguredProvider(howTo: string): Provider {
  const error = new ProviderError("Cannot ask a model: no provider is set up", {
    code: "provider_unconfigured",
    recovery: "give_up",
    userText: howTo,
  });
  return { name: "unconfigured", chat: () => failure(error) };
}

// A generator that awaits nothing, as the contract has it.
async function* failure(error: ProviderError): AsyncGenerator<ChatEvent> {
  yield await Promise.resolve({ type: "failed", error });
}
