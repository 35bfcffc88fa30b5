/**
 * What kind of failure a vendor's answer is, and what people are told about it.
 * @module
 */

import type { Recovery } from "../actors/kernel/errors.ts";
import { ProviderError, type ProviderFailure } from "./provider.ts";
import { redact } from "./redaction.ts";
import { waitFromText } from "./retry_after.ts";

/** All that is known about a failed call, before it is judged. */
export interface Fault {
  /** Known without looking at the rest. */
  readonly failure?: ProviderFailure | undefined;
  readonly status?: number | undefined;
  /** The vendor's own `type` and `code`. */
  readonly tokens: readonly string[];
  /** The vendor's words, as they came. */
  readonly text: string;
  /** The vendor's verdict (`x-should-retry`). */
  readonly shouldRetry?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** Who failed, and what must not be told. */
export interface FaultContext {
  readonly displayName: string;
  readonly baseUrl: string;
  readonly isLocal: boolean;
  readonly secrets: readonly string[];
  /** What people are told when the vendor takes no credentials; by default, that of a key. */
  readonly authText?: string;
}

/** Kinds that may pass by themselves. */
const PASSING: ReadonlySet<ProviderFailure> = new Set([
  "provider_rate_limited",
  "provider_overloaded",
  "provider_timeout",
  "provider_connection",
  "provider_empty",
]);

const USER_TEXT: Readonly<Record<ProviderFailure, string>> = {
  provider_unconfigured: "No model provider is set up yet.",
  provider_auth: "The model request failed: the provider did not accept the API key.",
  provider_quota: "The model request failed: the provider account has no credit or quota left.",
  provider_rate_limited:
    "The model request failed: the provider limits requests right now. Please try again soon.",
  provider_overloaded:
    "The model request failed: the model service is not available right now. Please try again later.",
  provider_timeout: "The model request failed: the model did not answer in time.",
  provider_connection:
    "The model request failed: the model service could not be reached, or the connection to it broke.",
  provider_bad_request:
    "The model request failed: the provider did not accept the request. Please check the model name and apiBase.",
  provider_context_too_long:
    "The model request failed: the conversation is too long for this model. /new starts a new one.",
  provider_content_filter: "The model request failed: the provider's content filter refused it.",
  provider_web_page:
    "The model request failed: the answer is a web page, not a model's answer. Please check the " +
    "URL in apiBase, and whether the network wants a sign-in first.",
  provider_empty: "The model request failed: the model sent an empty answer.",
  provider_aborted: "The model request was stopped.",
};

const QUOTA = [
  "insufficient_quota",
  "insufficient quota",
  "quota_exceeded",
  "quota exceeded",
  "quota_exhausted",
  "quota exhausted",
  "billing_hard_limit",
  "billing hard limit",
  "billing_not_active",
  "billing not active",
  "insufficient_balance",
  "insufficient balance",
  "credit_balance_too_low",
  "credit balance too low",
  "payment_required",
  "payment required",
  "out of credits",
  "out of quota",
  "exceeded your current quota",
  "arrearage",
];
const AUTH = [
  "invalid_api_key",
  "invalid api key",
  "incorrect api key",
  "api key not valid",
  "authentication_error",
  "unauthorized",
];
const CONTEXT = [
  "context_length_exceeded",
  "model_context_window_exceeded",
  "context length",
  "context window",
  "maximum context",
  "prompt is too long",
  "input is too long",
  "too many tokens",
  "reduce the length",
];
const FILTER = [
  "content_filter",
  "content_policy",
  "content management policy",
  "data_inspection_failed",
  "content_moderation",
];
const RATE = [
  "rate_limit",
  "rate limit",
  "too_many_requests",
  "too many requests",
  "request_limit_exceeded",
  "requests_limit_exceeded",
  "concurrency limit",
  "速率限制",
];
const OVERLOAD = [
  "overloaded",
  "server_error",
  "server error",
  "api_error",
  "temporarily unavailable",
  "service unavailable",
  "访问量过大",
];
const TIMEOUT = ["timeout", "timed out"];
const CONNECTION = ["connection", "network_error", "disconnected"];

/** Judges a fault. Nothing of the vendor's text reaches `userText`; `message` has it redacted. */
export function providerError(fault: Fault, context: FaultContext): ProviderError {
  const code = fault.failure ?? classify(fault);
  const { status, shouldRetry } = fault;
  const retryAfterMs = fault.retryAfterMs ??
    (PASSING.has(code) ? waitFromText(fault.text) : undefined);
  const passes = code !== "provider_aborted" && (shouldRetry ?? PASSING.has(code));
  const recovery: Recovery = passes ? "retry" : "give_up";
  const what = [status, ...fault.tokens, redact(fault.text, context.secrets)]
    .filter((part) => part !== undefined && part !== "");
  // No `cause`: what the SDK throws holds the vendor's words and headers as they came.
  return new ProviderError(
    redact(`Cannot ask "${context.displayName}": ${what.join(" ") || code}`, context.secrets),
    { code, recovery, userText: userTextOf(code, context), status, retryAfterMs },
  );
}

/** The kind of a fault that comes from an answer: by status first, then by the vendor's words. */
function classify(fault: Fault): ProviderFailure {
  const status = fault.status ?? statusAmong(fault);
  const words = `${fault.tokens.join(" ")} ${fault.text}`.toLowerCase();
  const speaksOf = (phrases: readonly string[]) => phrases.some((phrase) => words.includes(phrase));
  if (status === 402 || (isQuotaStatus(status) && speaksOf(QUOTA))) return "provider_quota";
  if (status === 429) return "provider_rate_limited";
  if (status === 401 || status === 403) return "provider_auth";
  if (status === 408 || status === 504) return "provider_timeout";
  if (status === 409 || status === 425) return "provider_overloaded";
  if (status !== undefined && status >= 500) return "provider_overloaded";
  if (status === 413 || speaksOf(CONTEXT)) return "provider_context_too_long";
  if (speaksOf(FILTER)) return "provider_content_filter";
  if (speaksOf(AUTH)) return "provider_auth";
  // From here on words alone decide, which is for answers without a status only.
  if (status !== undefined) return "provider_bad_request";
  if (speaksOf(RATE)) return "provider_rate_limited";
  if (speaksOf(OVERLOAD)) return "provider_overloaded";
  if (speaksOf(TIMEOUT)) return "provider_timeout";
  return speaksOf(CONNECTION) ? "provider_connection" : "provider_bad_request";
}

/** Quota words count where a refusal for want of money can stand. */
function isQuotaStatus(status: number | undefined): boolean {
  return status === undefined || [400, 403, 429].includes(status);
}

/** The HTTP status that errors inside a stream carry as their code, or name in their text. */
function statusAmong({ tokens, text }: Fault): number | undefined {
  const code = tokens.find((token) => /^[45]\d\d$/.test(token)) ??
    /\b(?:408|429|50[0234]|529)\b/.exec(text)?.[0];
  return code === undefined ? undefined : Number(code);
}

function userTextOf(code: ProviderFailure, context: FaultContext): string {
  const { baseUrl, isLocal, authText } = context;
  if (code === "provider_auth" && authText !== undefined) return authText;
  const isUnreachable = code === "provider_connection" || code === "provider_overloaded";
  if (!isLocal || !isUnreachable) return USER_TEXT[code];
  const origin = URL.parse(baseUrl)?.origin ?? "its address";
  return `The model request failed: the local model server at ${origin} is not reachable. ` +
    "Please check that it runs and that no proxy/tunnel stands in between.";
}

/** An error that was not made from a vendor's answer, with the words for its kind. */
export function plainProviderError(code: ProviderFailure, message: string): ProviderError {
  const recovery: Recovery = PASSING.has(code) ? "retry" : "give_up";
  return new ProviderError(message, { code, recovery, userText: USER_TEXT[code] });
}
