/**
 * What Slack can answer instead of doing what it was asked, and what that means for a delivery.
 * @module
 */

import { GatewayError } from "../../actors/kernel/errors.ts";
import type { DeliveryError } from "../channel.ts";
import { asDeliveryError, type FailureMeaning } from "../delivering.ts";

/** What a refusal says. */
export interface SlackRefusal {
  /** Slack's word for it; "" when the answer was none of Slack's. */
  readonly reason: string;
  /** HTTP status. */
  readonly status: number;
  /** The scope that is missing, where that is the reason. */
  readonly neededScope?: string | undefined;
  /** The wait that Slack asks for. */
  readonly retryAfterMs?: number | undefined;
}

/** Slack answered that it did not do it. */
export class SlackRefusedError extends GatewayError {
  override readonly name = "SlackRefusedError";
  readonly code = "slack_refused";
  readonly recovery = "give_up";
  readonly reason: string;
  readonly status: number;
  readonly neededScope: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(action: string, refusal: SlackRefusal, options?: ErrorOptions) {
    const { reason, status, neededScope } = refusal;
    const scope = neededScope === undefined ? "" : `; the app lacks the scope ${neededScope}`;
    super(`Cannot ${action}: Slack answered ${reason || `HTTP ${status}`}${scope}`, options);
    this.reason = reason;
    this.status = status;
    this.neededScope = neededScope;
    this.retryAfterMs = refusal.retryAfterMs;
  }
}

/** No answer came that could be read: whether the call had an effect is not known. */
export class SlackUnreachableError extends GatewayError {
  override readonly name = "SlackUnreachableError";
  readonly code = "slack_unreachable";
  readonly recovery = "retry";
  /** The call surely never reached Slack. */
  readonly wasNotSent: boolean;

  constructor(
    action: string,
    reason: string,
    options?: ErrorOptions & { readonly wasNotSent?: boolean },
  ) {
    super(`Cannot ${action}: ${reason}`, options);
    this.wasNotSent = options?.wasNotSent ?? false;
  }
}

/** Slack does not let this app in; trying again makes no sense before a person acts. */
export class SlackCredentialsError extends GatewayError {
  override readonly name = "SlackCredentialsError";
  readonly code = "slack_credentials";
  readonly recovery = "give_up";

  constructor(what: string, reason: string, options?: ErrorOptions) {
    super(`Cannot sign in to Slack with "${what}": ${reason}`, options);
  }
}

/** Tokens that will never be good (again), or are of the wrong kind. */
export const CREDENTIAL_REASONS: ReadonlyMap<string, string> = new Map([
  ["invalid_auth", "the token is wrong"],
  ["not_authed", "the token is missing"],
  ["account_inactive", "the app was removed, or its workspace was"],
  ["token_revoked", "the token was revoked"],
  ["token_expired", "the token has expired"],
  ["not_allowed_token_type", "the token is of the wrong kind"],
  ["no_permission", "the app-level token lacks the scope connections:write"],
  ["missing_scope", "the token lacks a scope"],
  ["org_login_required", "the workspace is being moved"],
  ["team_access_not_granted", "the app may not use this workspace"],
]);

/**
 * Those of them that tell of the token itself, whatever is called. A person puts it right, and what
 * could not be sent waits meanwhile.
 */
export const SHUT_OUT_REASONS: ReadonlySet<string> = new Set([
  "invalid_auth",
  "not_authed",
  "account_inactive",
  "token_revoked",
  "token_expired",
]);

/** Passing by themselves, without effect. */
const PASSING_REASONS: ReadonlySet<string> = new Set([
  "ratelimited",
  "rate_limited",
  "message_limit_exceeded",
  "service_unavailable",
  "request_timeout",
  "team_added_to_org",
  "accesslimited",
]);

/** Slack failed inside; it says itself that some of it may have been done. */
const AMBIGUOUS_REASONS: ReadonlySet<string> = new Set(["fatal_error", "internal_error"]);

/** The reply's form was not taken; a simpler one may be. */
export const FORM_REASONS: ReadonlySet<string> = new Set([
  "invalid_blocks",
  "invalid_blocks_format",
  "msg_blocks_too_long",
  "msg_too_long",
  "invalid_metadata_format",
  "invalid_metadata_schema",
  "metadata_too_large",
  "invalid_arguments",
]);

/** The message that was to be changed is not there, or can no longer be changed. */
export const MESSAGE_GONE_REASONS: ReadonlySet<string> = new Set([
  "message_not_found",
  "cant_update_message",
  "edit_window_closed",
]);

/** The message to be answered is not there any more. */
export const THREAD_GONE_REASONS: ReadonlySet<string> = new Set([
  "thread_not_found",
  "cannot_reply_to_message",
]);

/** Proxies that had no way to Slack answer with these: nothing was done. */
const UNDONE_STATUSES: ReadonlySet<number> = new Set([429, 503]);
/** The wait when Slack limits the rate without naming one. */
const RATE_WAIT_MS = 1_000;

/** Is `error` a refusal for one of `reasons`? */
export function isRefusedFor(
  error: unknown,
  reasons: { has(reason: string): boolean },
): error is SlackRefusedError {
  return error instanceof SlackRefusedError && reasons.has(error.reason);
}

/** Did the call perhaps have an effect although it failed? */
export function isAmbiguous(error: unknown): boolean {
  if (error instanceof SlackUnreachableError) return !error.wasNotSent;
  if (!(error instanceof SlackRefusedError)) return false;
  if (AMBIGUOUS_REASONS.has(error.reason)) return true;
  return error.status >= 500 && !UNDONE_STATUSES.has(error.status);
}

/** Can the same call succeed later? */
export function isPassing(error: unknown): boolean {
  if (error instanceof SlackUnreachableError) return true;
  if (!(error instanceof SlackRefusedError)) return false;
  return isAmbiguous(error) || UNDONE_STATUSES.has(error.status) ||
    PASSING_REASONS.has(error.reason) || SHUT_OUT_REASONS.has(error.reason);
}

/** The wait that Slack asks for, in milliseconds; null for a failure that will not pass. */
export function waitOf(error: unknown): number | null {
  if (!isPassing(error)) return null;
  return error instanceof SlackRefusedError ? error.retryAfterMs ?? 0 : 0;
}

/** The failure as the outbox understands it. */
export function deliveryErrorOf(error: unknown): DeliveryError {
  return asDeliveryError(error, meaningOf);
}

function meaningOf(error: unknown): FailureMeaning {
  if (error instanceof SlackRefusedError && !isPassing(error)) {
    return { code: "delivery_permanent" };
  }
  const retryAfterMs = isRateLimited(error) ? error.retryAfterMs ?? RATE_WAIT_MS : undefined;
  return { code: "delivery_transient", retryAfterMs };
}

/** Is it a refusal for the rate of our calls? */
export function isRateLimited(error: unknown): error is SlackRefusedError {
  return error instanceof SlackRefusedError &&
    (error.status === 429 || error.reason === "ratelimited" || error.reason === "rate_limited");
}
