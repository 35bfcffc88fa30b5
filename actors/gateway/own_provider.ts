/**
 * Models of the program that the gateway runs in. Its code may throw, which a provider of ours never
 * does: that is a failed call like any other.
 * @module
 */

import { plainProviderError } from "../../providers/failures.ts";
import type { ChatEvent, ChatRequest, Provider } from "../../providers/provider.ts";
import { redact } from "../../providers/redaction.ts";
import { asError } from "../kernel/errors.ts";

/**
 * Makes a program's provider one of ours.
 *
 * @param prefix of the models that it answers for; it knows them without
 */
export function ownProvider(provider: Provider, prefix: string): Provider {
  return {
    name: provider.name,
    chat: (request, signal) => {
      const model = request.model.slice(prefix.length);
      return caught(provider, { ...request, model }, signal);
    },
  };
}

async function* caught(
  provider: Provider,
  request: ChatRequest,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void, void> {
  try {
    yield* provider.chat(request, signal);
  } catch (error) {
    const code = signal.aborted ? "provider_aborted" : "provider_connection";
    const text = `Cannot ask "${provider.name}": ${redact(asError(error).message, [])}`;
    yield { type: "failed", error: plainProviderError(code, text) };
  }
}
