/**
 * What the platform can answer instead of doing what it was asked, and what that means for a
 * delivery.
 * @module
 */

import { GatewayError } from "../../actors/kernel/errors.ts";
import type { DeliveryError } from "../channel.ts";
import { asDeliveryError, type FailureMeaning } from "../delivering.ts";

/** The platform answered, with a code other than 0. */
export class FeishuRefusedError extends GatewayError {
  override readonly name = "FeishuRefusedError";
  readonly code = "feishu_refused";
  readonly recovery = "give_up";
  /** The platform's code; 0 when the answer carried none. */
  readonly platformCode: number;
  /** HTTP status. */
  readonly status: number;
  /** The platform's own words; card errors name an inner code there. */
  readonly platformMessage: string;
  /** The wait the platform asked for. */
  readonly retryAfterMs: number | undefined;

  constructor(action: string, refusal: FeishuRefusal, options?: ErrorOptions) {
    const { platformCode, status, platformMessage, logId } = refusal;
    const suffix = logId === undefined ? "" : ` [log id ${logId}]`;
    super(
      `Cannot ${action}: Feishu answered ${platformCode} (${platformMessage})${suffix}`,
      options,
    );
    this.platformCode = platformCode;
    this.status = status;
    this.platformMessage = platformMessage;
    this.retryAfterMs = refusal.retryAfterMs;
  }
}

/** What a refusal says. */
export interface FeishuRefusal {
  readonly platformCode: number;
  readonly status: number;
  readonly platformMessage: string;
  readonly logId: string | undefined;
  readonly retryAfterMs: number | undefined;
}

/** No answer came that could be read: whether the call had an effect is not known. */
export class FeishuUnreachableError extends GatewayError {
  override readonly name = "FeishuUnreachableError";
  readonly code = "feishu_unreachable";
  readonly recovery = "retry";

  constructor(action: string, reason: string, options?: ErrorOptions) {
    super(`Cannot ${action}: ${reason}`, options);
  }
}

/** The platform does not let this app in; trying again makes no sense before a person acts. */
export class FeishuCredentialsError extends GatewayError {
  override readonly name = "FeishuCredentialsError";
  readonly code = "feishu_credentials";
  readonly recovery = "give_up";

  constructor(appId: string, reason: string, options?: ErrorOptions) {
    super(`Cannot sign in to Feishu as "${appId}": ${reason}`, options);
  }
}

/** The token is missing, wrong or too old. */
export const TOKEN_CODES: ReadonlySet<number> = new Set([99991661, 99991663, 99991668]);
/** The app is unknown, or its secret is wrong. */
export const CREDENTIAL_CODES: ReadonlySet<number> = new Set([10003, 10014, 514]);
/** Too many requests, of the app or for the chat. */
export const RATE_CODES: ReadonlySet<number> = new Set([99991400, 230020]);
/** The message to answer, or to react to, is gone. */
export const MESSAGE_GONE_CODES: ReadonlySet<number> = new Set([230011, 230110]);
/** This place has no topics (any more). */
export const NO_TOPIC_CODES: ReadonlySet<number> = new Set([230019, 230071, 230072]);
/** A card's contents are not accepted: a simpler form may be. */
export const CARD_REFUSED_CODES: ReadonlySet<number> = new Set([230099, 230025, 200860]);
/** Streaming was switched off, by its time limit. */
export const STREAMING_OFF_CODES: ReadonlySet<number> = new Set([200850, 200510, 300309]);
/** The number of a card operation is not higher than the last one. */
export const SEQUENCE_CODE = 300317;
/** The app lacks a permission. */
export const NO_PERMISSION_CODE = 99991672;
/** No right to use cards. */
export const CARD_FORBIDDEN_CODES: ReadonlySet<number> = new Set([99991672, 300311]);
/** The emoji does not exist in this tenant. */
export const UNKNOWN_EMOJI_CODE = 231001;

/** Passing by themselves: message still being sent, card internals, card in interaction. */
const PASSING_CODES: ReadonlySet<number> = new Set([
  230049,
  200220,
  300120,
  300121,
  300122,
  200810,
]);

/** The wait when the platform limits the rate without naming one. */
const RATE_WAIT_MS = 1_000;

/** Does `error` carry one of `codes`? */
export function hasCode(error: unknown, codes: ReadonlySet<number>): error is FeishuRefusedError {
  return error instanceof FeishuRefusedError && codes.has(error.platformCode);
}

/** Can the same call succeed later? Unanswered calls count: their repetition is safe or harmless. */
export function isPassing(error: unknown): boolean {
  if (error instanceof FeishuUnreachableError) return true;
  if (!(error instanceof FeishuRefusedError)) return false;
  const { platformCode, status } = error;
  return status === 429 || status >= 500 || RATE_CODES.has(platformCode) ||
    PASSING_CODES.has(platformCode) || TOKEN_CODES.has(platformCode) ||
    CREDENTIAL_CODES.has(platformCode);
}

/** Did the call perhaps have an effect although it failed? */
export function isAmbiguous(error: unknown): boolean {
  return error instanceof FeishuUnreachableError ||
    (error instanceof FeishuRefusedError && error.status >= 500);
}

/**
 * The failure as the outbox understands it. What is not known to be permanent may pass: the
 * idempotency keys make a repetition safe.
 */
export function deliveryErrorOf(error: unknown): DeliveryError {
  return asDeliveryError(error, meaningOf);
}

function meaningOf(error: unknown): FailureMeaning {
  if (error instanceof FeishuRefusedError && !isPassing(error)) {
    return { code: "delivery_permanent" };
  }
  return { code: "delivery_transient", retryAfterMs: retryAfterOf(error) };
}

function retryAfterOf(error: unknown): number | undefined {
  if (!(error instanceof FeishuRefusedError)) return undefined;
  const isRateLimited = error.status === 429 || RATE_CODES.has(error.platformCode);
  return error.retryAfterMs ?? (isRateLimited ? RATE_WAIT_MS : undefined);
}
