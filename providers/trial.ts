/**
 * Tries a provider with a tiny call, and says in one word what is wrong with it.
 * @module
 */

import type { Clock } from "../actors/kernel/clock.ts";
import type { ChatRequest, Provider, ProviderError } from "./provider.ts";

/** What somebody has to look at. */
export type TrialFault =
  | "key"
  | "url"
  | "model name"
  | "quota"
  | "rate limit"
  | "network"
  | "server"
  | "request"
  | "answer";

/** How a trial went. */
export type TrialResult =
  | { readonly state: "ok"; readonly tookMs: number }
  | { readonly state: "failed"; readonly fault: TrialFault; readonly error: ProviderError };

/** Enough for vendors that want a least number, and for a short thought. */
const TOKENS_MAX = 64;

/** Asks `model` to say something short; nothing is tried again. */
export async function tryProvider(
  provider: Provider,
  model: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<TrialResult> {
  const beganMs = clock.now();
  for await (const event of provider.chat(tinyRequest(model), signal)) {
    if (event.type === "finished") return { state: "ok", tookMs: clock.now() - beganMs };
    if (event.type === "failed") {
      return { state: "failed", fault: faultOf(event.error), error: event.error };
    }
  }
  throw new TypeError(`The provider "${provider.name}" ended without a last event`);
}

function tinyRequest(model: string): ChatRequest {
  return {
    model,
    messages: [{ role: "user", content: "Say ok." }],
    tools: [],
    tokensMax: TOKENS_MAX,
    temperature: 1,
    reasoningEffort: null,
    conversationId: "provider-test",
  };
}

/** What to look at after a failure. */
export function faultOf({ code, status, message }: ProviderError): TrialFault {
  switch (code) {
    case "provider_auth":
      // A good key may not be good for every model.
      return status === 403 && isAboutModel(message) ? "model name" : "key";
    case "provider_unconfigured":
      return "key";
    case "provider_quota":
      return "quota";
    case "provider_rate_limited":
      return "rate limit";
    case "provider_connection":
    case "provider_timeout":
    case "provider_aborted":
      return "network";
    case "provider_overloaded":
      return "server";
    case "provider_web_page":
    // Nothing that a model server says was in it.
    case "provider_empty":
      return "url";
    case "provider_bad_request":
      return faultOfRefusal(status, message);
    default:
      return "answer";
  }
}

/** Vendors say which model they do not know; a wrong address is answered by whoever is there. */
function faultOfRefusal(status: number | undefined, message: string): TrialFault {
  if (isAboutModel(message)) return "model name";
  // Without a status it is no refusal of a vendor's, but what another server has to say.
  return status === undefined || status === 404 || status === 405 ? "url" : "request";
}

function isAboutModel(message: string): boolean {
  return /\bmodels?\b|model_not_found/i.test(message) && UNKNOWN_WORDS.test(message);
}

const UNKNOWN_WORDS =
  /not.?found|no such|unknown|invalid|no(?:t have)? access|not (?:a )?(?:valid|exist|support|available)|n't exist/i;
