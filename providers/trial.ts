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
    // Who answers with nothing within so few tokens has a good key, address and model.
    if (event.type === "failed" && event.error.code === "provider_empty") {
      return { state: "ok", tookMs: clock.now() - beganMs };
    }
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
    case "provider_bad_request":
      return faultOfRefusal(status, message);
    default:
      return "answer";
  }
}

/** Vendors say which model they do not know; a wrong address is answered by whoever is there. */
function faultOfRefusal(status: number | undefined, message: string): TrialFault {
  const isAboutModel = /\bmodels?\b/i.test(message) &&
    /not.?found|no such|unknown|invalid|not (?:a )?(?:valid|exist|support|available)|n't exist/i
      .test(message);
  if (isAboutModel) return "model name";
  if (status === 404 || status === 405) return "url";
  // Without a status nothing of the vendor's came: a page of another server, or a redirect.
  return status === undefined || (status >= 300 && status < 400) ? "url" : "request";
}
