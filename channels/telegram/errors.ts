/**
 * What the Bot API can answer instead of doing what it was asked, and what that means for a
 * delivery.
 * @module
 */

import { GatewayError } from "../../actors/kernel/errors.ts";
import type { DeliveryError } from "../channel.ts";
import { asDeliveryError, type FailureMeaning } from "../delivering.ts";

/** The Bot API answered that it did not. */
export class TelegramRefusedError extends GatewayError {
  override readonly name = "TelegramRefusedError";
  readonly code = "telegram_refused";
  readonly recovery = "give_up";
  /** Telegram's code, which follows HTTP. */
  readonly platformCode: number;
  /** Telegram's own words. */
  readonly description: string;
  /** The wait that it asked for. */
  readonly retryAfterMs: number | undefined;
  /** Where the group lives now. */
  readonly movedToChatId: string | undefined;

  constructor(method: string, refusal: TelegramRefusal, options?: ErrorOptions) {
    const { platformCode, description } = refusal;
    super(`Cannot call ${method}: Telegram answered ${platformCode} (${description})`, options);
    this.platformCode = platformCode;
    this.description = description;
    this.retryAfterMs = refusal.retryAfterMs;
    this.movedToChatId = refusal.movedToChatId;
  }
}

/** What a refusal says. */
export interface TelegramRefusal {
  readonly platformCode: number;
  readonly description: string;
  readonly retryAfterMs?: number | undefined;
  readonly movedToChatId?: string | undefined;
}

/** No answer came that could be read. */
export class TelegramUnreachableError extends GatewayError {
  override readonly name = "TelegramUnreachableError";
  readonly code = "telegram_unreachable";
  readonly recovery = "retry";
  /** The call may have had its effect. */
  readonly isInDoubt: boolean;

  constructor(method: string, { reason, isInDoubt }: Unreachable, options?: ErrorOptions) {
    super(`Cannot call ${method}: ${reason}`, options);
    this.isInDoubt = isInDoubt;
  }
}

/** Why no answer came. */
export interface Unreachable {
  readonly reason: string;
  readonly isInDoubt: boolean;
}

/** Telegram does not know the token; trying again makes no sense before a person acts. */
export class TelegramCredentialsError extends GatewayError {
  override readonly name = "TelegramCredentialsError";
  readonly code = "telegram_credentials";
  readonly recovery = "give_up";

  constructor(reason: string, options?: ErrorOptions) {
    super(`Cannot sign in to Telegram: ${reason}`, options);
  }
}

/** The token is wrong or was revoked; an unknown one is answered like an unknown address. */
const CREDENTIAL_CODES: ReadonlySet<number> = new Set([401, 404]);
const CONFLICT_CODE = 409;
const TOO_LARGE_CODE = 413;
const RATE_CODE = 429;
/** Said before anything was done. */
const UNAVAILABLE_CODE = 503;

/** Is the token wrong? */
export function isCredentialsRefusal(error: unknown): boolean {
  return error instanceof TelegramRefusedError && CREDENTIAL_CODES.has(error.platformCode);
}

/** Does somebody else read this bot's messages? */
export function isConflict(error: unknown): error is TelegramRefusedError {
  return error instanceof TelegramRefusedError && error.platformCode === CONFLICT_CODE;
}

/** Is the request itself not accepted, in words that match `pattern`? */
export function isBadRequest(error: unknown, pattern: RegExp = /./): boolean {
  return error instanceof TelegramRefusedError &&
    (error.platformCode === 400 || error.platformCode === TOO_LARGE_CODE) &&
    pattern.test(error.description);
}

/** Did the call perhaps have its effect although it failed? */
export function isAmbiguous(error: unknown): boolean {
  if (error instanceof TelegramUnreachableError) return error.isInDoubt;
  return error instanceof TelegramRefusedError && error.platformCode >= 500 &&
    error.platformCode !== UNAVAILABLE_CODE;
}

/** Can the same call succeed later? */
export function isPassing(error: unknown): boolean {
  if (error instanceof TelegramUnreachableError) return true;
  if (!(error instanceof TelegramRefusedError)) return false;
  const { platformCode } = error;
  return platformCode === RATE_CODE || platformCode >= 500 || CREDENTIAL_CODES.has(platformCode);
}

/** The wait that Telegram asks for, in milliseconds (0: none). */
export function toldWaitOf(error: unknown): number {
  return error instanceof TelegramRefusedError ? error.retryAfterMs ?? 0 : 0;
}

/** The failure as the outbox understands it; what may have arrived is in doubt, as nothing has a key. */
export function deliveryErrorOf(error: unknown): DeliveryError {
  return asDeliveryError(error, meaningOf);
}

function meaningOf(error: unknown): FailureMeaning {
  if (isAmbiguous(error)) return { code: "delivery_unknown" };
  if (!(error instanceof TelegramRefusedError)) return { code: "delivery_transient" };
  if (!isPassing(error)) return { code: "delivery_permanent" };
  return { code: "delivery_transient", retryAfterMs: error.retryAfterMs };
}
