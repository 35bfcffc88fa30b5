/**
 * What the platform can answer instead of doing what it was asked, and what that means for a
 * delivery. Codes: https://bot.q.qq.com/wiki/develop/api-v2/openapi/error/error.html
 * @module
 */

import { GatewayError } from "../../actors/kernel/errors.ts";
import type { DeliveryError } from "../channel.ts";
import { asDeliveryError, type FailureMeaning } from "../delivering.ts";

/** What a refusal says. */
export interface QqRefusal {
  /** HTTP status; refusals come with 200 as well. */
  readonly status: number;
  /** The platform's code; 0 when the answer carried none. */
  readonly platformCode: number;
  readonly platformMessage: string;
  /** The wait the platform asked for. */
  readonly retryAfterMs?: number | undefined;
}

/** The platform answered that it did not. */
export class QqRefusedError extends GatewayError implements QqRefusal {
  override readonly name = "QqRefusedError";
  readonly code = "qq_refused";
  readonly recovery = "give_up";
  readonly status: number;
  readonly platformCode: number;
  readonly platformMessage: string;
  readonly retryAfterMs: number | undefined;

  constructor(action: string, refusal: QqRefusal, options?: ErrorOptions) {
    const { status, platformCode, platformMessage } = refusal;
    const code = platformCode === 0 ? `HTTP ${status}` : String(platformCode);
    super(`Cannot ${action}: QQ answered ${code} (${platformMessage})`, options);
    this.status = status;
    this.platformCode = platformCode;
    this.platformMessage = platformMessage;
    this.retryAfterMs = refusal.retryAfterMs;
  }
}

/** No answer came that could be read. */
export class QqUnreachableError extends GatewayError {
  override readonly name = "QqUnreachableError";
  readonly code = "qq_unreachable";
  readonly recovery = "retry";
  /** The call may have had its effect. */
  readonly isInDoubt: boolean;
  /** For people, without names and addresses. */
  readonly reason: string;

  constructor(
    action: string,
    { reason, isInDoubt }: { readonly reason: string; readonly isInDoubt: boolean },
    options?: ErrorOptions,
  ) {
    super(`Cannot ${action}: ${reason}`, options);
    this.isInDoubt = isInDoubt;
    this.reason = reason;
  }
}

/** The platform does not let this bot in; trying again makes no sense before a person acts. */
export class QqCredentialsError extends GatewayError {
  override readonly name = "QqCredentialsError";
  readonly code = "qq_credentials";
  readonly recovery = "give_up";

  constructor(reason: string, options?: ErrorOptions) {
    super(`Cannot sign in to QQ: ${reason}`, options);
  }
}

/** Said when the platform does not know the bot. */
export const WRONG_SECRET: string = "it does not know the AppID with this AppSecret; " +
  "copy both anew from q.qq.com into channels.qq.appId and channels.qq.secret";

const STALE_TOKEN: ReadonlySet<number> = new Set([11_241, 11_242, 11_243, 11_244]);
const DUPLICATE = 40_054_005;
/** The message to answer is too old, was answered too often, or is not known. */
const ANSWERS_OVER: ReadonlySet<number> = new Set([
  304_026,
  304_027,
  304_103,
  40_034_005,
  40_034_024,
  40_034_031,
  40_034_128,
]);
/** Messages that answer nothing are not taken, for now or at all. */
const PUSHES_REFUSED: ReadonlySet<number> = new Set([
  304_022,
  304_045,
  304_046,
  304_047,
  304_048,
  304_049,
  304_050,
  40_034_100,
  40_034_102,
  40_034_105,
]);
const URLS_REFUSED: ReadonlySet<number> = new Set([304_003, 40_054_010]);
const MARKDOWN_REFUSED: ReadonlySet<number> = new Set([
  50_054,
  50_055,
  50_056,
  50_057,
  304_036,
  40_034_008,
  40_034_009,
  40_034_010,
  40_034_011,
  40_034_012,
  40_034_124,
  40_034_127,
]);
const TOO_LONG: ReadonlySet<number> = new Set([40_054_007, 40_054_018]);
const RATE: ReadonlySet<number> = new Set([20_028, 22_009, 1_100_100, 1_100_308]);
/** Documented as "try again", or as a fault of the platform's own. */
const PASSING: ReadonlySet<number> = new Set([
  11_252,
  11_263,
  11_281,
  304_018,
  304_082,
  304_083,
  340_067,
  1_100_300,
  40_034_004,
  40_054_006,
  40_054_016,
  50_055_001,
  50_055_002,
  50_055_006,
]);
const UNAVAILABLE_STATUS = 503;
const RATE_STATUS = 429;
const UNAUTHORIZED_STATUS = 401;

function isCode(error: unknown, codes: ReadonlySet<number>): boolean {
  return error instanceof QqRefusedError && codes.has(error.platformCode);
}

/** Is the token no longer good? */
export function isStaleToken(error: unknown): boolean {
  return isCode(error, STALE_TOKEN) ||
    error instanceof QqRefusedError && error.status === UNAUTHORIZED_STATUS;
}

/** Has the platform a message with this `msg_id` and `msg_seq` already? */
export function isDuplicate(error: unknown): boolean {
  return error instanceof QqRefusedError && error.platformCode === DUPLICATE;
}

/** Can the message that was to be answered be answered no more? */
export function isAnswerOver(error: unknown): boolean {
  return isCode(error, ANSWERS_OVER);
}

/** Does the platform take no message that answers nothing? */
export function isPushRefusal(error: unknown): boolean {
  return isCode(error, PUSHES_REFUSED);
}

/** Are addresses in the text what is not accepted? */
export function isUrlRefusal(error: unknown): boolean {
  return isCode(error, URLS_REFUSED) ||
    error instanceof QqRefusedError && /不允许.*url/i.test(error.platformMessage);
}

/** May the bot write no Markdown, or not this one? */
export function isMarkdownRefusal(error: unknown): boolean {
  return isCode(error, MARKDOWN_REFUSED);
}

/** Is the text too long for one message? */
export function isTooLong(error: unknown): boolean {
  return isCode(error, TOO_LONG);
}

/** Did the platform refuse for the rate? */
export function isRateRefusal(error: unknown): boolean {
  return isCode(error, RATE) || error instanceof QqRefusedError && error.status === RATE_STATUS;
}

/** Did the call perhaps have its effect although it failed? */
export function isAmbiguous(error: unknown): boolean {
  if (error instanceof QqUnreachableError) return error.isInDoubt;
  return error instanceof QqRefusedError && error.platformCode === 0 && error.status >= 500 &&
    error.status !== UNAVAILABLE_STATUS;
}

/** Can the same call succeed later? */
export function isPassing(error: unknown): boolean {
  if (error instanceof QqUnreachableError || error instanceof QqCredentialsError) return true;
  if (!(error instanceof QqRefusedError)) return false;
  return isRateRefusal(error) || isCode(error, PASSING) || isStaleToken(error) ||
    isAnswerOver(error) || isPushRefusal(error) ||
    (error.platformCode === 0 && error.status >= 500);
}

/** The wait that the platform asks for, in milliseconds (0: none). */
export function toldWaitOf(error: unknown): number {
  return error instanceof QqRefusedError ? error.retryAfterMs ?? 0 : 0;
}

/** The failure as the outbox understands it. */
export function deliveryErrorOf(error: unknown): DeliveryError {
  return asDeliveryError(error, meaningOf);
}

function meaningOf(error: unknown): FailureMeaning {
  if (isAmbiguous(error)) return { code: "delivery_unknown" };
  if (!(error instanceof QqRefusedError)) return { code: "delivery_transient" };
  // A fault of the platform's own may pass, whatever code it comes with.
  if (!isPassing(error) && error.status < 500) return { code: "delivery_permanent" };
  return { code: "delivery_transient", retryAfterMs: error.retryAfterMs };
}
