/**
 * Stands where a provider would be while none is set up: it answers with how to set one up.
 * @module
 */

import { type LocalServer, localServersText } from "./local_servers.ts";
import { type ChatEvent, type Provider, ProviderError } from "./provider.ts";

/**
 * How to set a provider up, for people.
 *
 * @param configPath the file to edit
 * @param servers of this machine, which come first
 */
export function howToConfigure(configPath: string, servers: readonly LocalServer[] = []): string {
  return `No model provider is set up yet. ${localServersText(servers, configPath)}` +
    `Put a key into ${configPath}, for example:\n\n` +
    '```json\n{ "providers": { "openrouter": { "apiKey": "sk-or-..." } } }\n```\n\n' +
    "or, for any OpenAI-compatible server:\n\n" +
    '```json\n{\n  "agents": { "defaults": { "provider": "custom", "model": "my-model" } },\n' +
    '  "providers": { "custom": { "apiBase": "http://127.0.0.1:8080/v1", "apiKey": "..." } }\n}\n' +
    "```\n\nA gateway that runs takes it over by itself; the command `onboard` asks for all of it.";
}

/**
 * A provider that fails each call with `provider_unconfigured`.
 *
 * @param howTo what people are told; never fails
 */
export function unconfiguredProvider(howTo: () => Promise<string>): Provider {
  return { name: "unconfigured", chat: () => failure(howTo) };
}

async function* failure(howTo: () => Promise<string>): AsyncGenerator<ChatEvent> {
  const error = new ProviderError("Cannot ask a model: no provider is set up", {
    code: "provider_unconfigured",
    recovery: "give_up",
    userText: await howTo(),
  });
  yield { type: "failed", error };
}
