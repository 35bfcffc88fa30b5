/**
 * What DingTalk can answer instead of doing what it was asked, and what that means for a delivery.
 * @module
 */

import { GatewayError } from "../../actors/kernel/errors.ts";
import type { DeliveryError } from "../channel.ts";
import { asDeliveryError, type FailureMeaning } from "../delivering.ts";

/** DingTalk answered that it did not. */
export class DingTalkRefusedError extends GatewayError {
  override readonly name = "DingTalkRefusedError";
  readonly code = "dingtalk_refused";
  readonly recovery = "give_up";
  /** Of HTTP. */
  readonly status: number;
  /** DingTalk's own code: a word of the newer API, a number of the older one; "" without. */
  readonly reason: string;
  /** The wait that it asked for. */
  readonly retryAfterMs: number | undefined;

  constructor(action: string, refusal: DingTalkRefusal, options?: ErrorOptions) {
    const { status, reason, description } = refusal;
    const words = [reason, description].filter((word) => word !== "").join(", ");
    super(`Cannot ${action}: DingTalk answered ${status}${words && ` (${words})`}`, options);
    this.status = status;
    this.reason = reason;
    this.retryAfterMs = refusal.retryAfterMs;
  }
}

/** What a refusal says. */
export interface DingTalkRefusal {
  readonly status: number;
  readonly reason: string;
  readonly description: string;
  readonly retryAfterMs?: number | undefined;
}

/** No answer came that could be read. */
export class DingTalkUnreachableError extends GatewayError {
  override readonly name = "DingTalkUnreachableError";
  readonly code = "dingtalk_unreachable";
  readonly recovery = "retry";
  /** The call may have had its effect. */
  readonly isInDoubt: boolean;

  constructor(action: string, { reason, isInDoubt }: Unreachable, options?: ErrorOptions) {
    super(`Cannot ${action}: ${reason}`, options);
    this.isInDoubt = isInDoubt;
  }
}

/** Why no answer came. */
export interface Unreachable {
  readonly reason: string;
  readonly isInDoubt: boolean;
}

/** DingTalk does not let the app in; trying again makes no sense before a person acts. */
export class DingTalkCredentialsError extends GatewayError {
  override readonly name = "DingTalkCredentialsError";
  readonly code = "dingtalk_credentials";
  readonly recovery = "give_up";

  constructor(reason: string, options?: ErrorOptions) {
    super(`Cannot sign in to DingTalk: ${reason}`, options);
  }
}

/** Of signing in and of opening a stream. */
const CREDENTIAL_REASON = /^(?:invalidClient\w*|authFailed|invalidAppKey\w*)$/i;
/** Of a token that has ended or was taken back, in both APIs. */
const STALE_REASON = /^(?:invalidAuthentication|40001|40014|42001)$/i;
/**
 * Nothing was done: too many calls in a second, by the app or by all, or messages in a minute
 * (https://open.dingtalk.com/document/orgapp/invocation-frequency-limit).
 */
const RATE_REASON = /QpsLimit|FlowControl|too\.?fast|^(?:90002|90018|90019|130101)$/i;
/** The organization has made all calls that its edition has in a month. */
const QUOTA_REASON = /ApiCountLimit|^90020$/i;
/** How long a limit by the second and one by the minute last; and how often to look for a month's. */
const SECOND_LIMIT_MS = 1_000;
const MINUTE_LIMIT_MS = 60_000;
const QUOTA_LOOK_MS = 30 * 60_000;
/** Said before anything was done. */
const UNAVAILABLE_STATUS = 503;

/** Are client id and secret wrong? */
export function isCredentialsRefusal(error: unknown): boolean {
  return error instanceof DingTalkRefusedError && CREDENTIAL_REASON.test(error.reason);
}

/** Is the access token no longer good? Nothing was done then. */
export function isStaleToken(error: unknown): boolean {
  return error instanceof DingTalkRefusedError && !isCredentialsRefusal(error) &&
    (error.status === 401 || STALE_REASON.test(error.reason));
}

/** Has the organization no calls left in this month? */
export function isQuotaRefusal(error: unknown): boolean {
  return error instanceof DingTalkRefusedError && QUOTA_REASON.test(error.reason);
}

/** Is the request itself not accepted? */
export function isBadRequest(error: unknown): boolean {
  return error instanceof DingTalkRefusedError && !isPassing(error);
}

/** Did the call perhaps have its effect although it failed? */
export function isAmbiguous(error: unknown): boolean {
  if (error instanceof DingTalkUnreachableError) return error.isInDoubt;
  return error instanceof DingTalkRefusedError && error.status >= 500 &&
    error.status !== UNAVAILABLE_STATUS;
}

/** Can the same call succeed later? */
export function isPassing(error: unknown): boolean {
  if (error instanceof DingTalkUnreachableError) return true;
  if (!(error instanceof DingTalkRefusedError)) return false;
  return error.status >= 500 || toldWaitOf(error) > 0 || isStaleToken(error) ||
    isCredentialsRefusal(error);
}

/** The wait that DingTalk asks for, or that its limits mean, in milliseconds (0: none). */
export function toldWaitOf(error: unknown): number {
  if (!(error instanceof DingTalkRefusedError)) return 0;
  const { reason, status, retryAfterMs } = error;
  if (QUOTA_REASON.test(reason)) return QUOTA_LOOK_MS;
  if (status !== 429 && !RATE_REASON.test(reason)) return retryAfterMs ?? 0;
  return retryAfterMs ?? (/Qps|^900/i.test(reason) ? SECOND_LIMIT_MS : MINUTE_LIMIT_MS);
}

/** What to give up with, when DingTalk does not let the app in; null for any other failure. */
export function refusalOf(error: unknown): DingTalkCredentialsError | null {
  if (!(error instanceof DingTalkRefusedError) || !isCredentialsRefusal(error)) return null;
  return new DingTalkCredentialsError(
    `client id or secret are wrong (${error.reason}); copy both from the developer console into ` +
      "channels.dingtalk.clientId and clientSecret",
    { cause: error },
  );
}

/** The failure as the outbox understands it; what may have arrived is in doubt, as nothing has a key. */
export function deliveryErrorOf(error: unknown): DeliveryError {
  return asDeliveryError(error, meaningOf);
}

function meaningOf(error: unknown): FailureMeaning {
  if (isAmbiguous(error)) return { code: "delivery_unknown" };
  if (!(error instanceof DingTalkRefusedError)) return { code: "delivery_transient" };
  if (!isPassing(error)) return { code: "delivery_permanent" };
  const waitMs = toldWaitOf(error);
  return { code: "delivery_transient", retryAfterMs: waitMs > 0 ? waitMs : undefined };
}
