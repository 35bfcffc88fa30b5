/**
 * What the platform can answer instead of doing what it was asked, and what that means for a
 * delivery.
 * @module
 */

import { GatewayError } from "../../actors/kernel/errors.ts";
import type { DeliveryError } from "../channel.ts";
import { asDeliveryError, type FailureMeaning } from "../delivering.ts";

/** What a refusal says. */
export interface DiscordRefusal {
  /** HTTP status. */
  readonly status: number;
  /** The platform's code; 0 when the answer carried none. */
  readonly platformCode: number;
  readonly platformMessage: string;
  /** The wait the platform asked for. */
  readonly retryAfterMs: number | undefined;
  /** That wait is for all calls, not for those of this kind alone. @default false */
  readonly isForAll?: boolean;
}

/** The platform answered with an error. */
export class DiscordRefusedError extends GatewayError implements DiscordRefusal {
  override readonly name = "DiscordRefusedError";
  readonly code = "discord_refused";
  readonly recovery = "give_up";
  readonly status: number;
  readonly platformCode: number;
  readonly platformMessage: string;
  readonly retryAfterMs: number | undefined;
  readonly isForAll: boolean;

  constructor(action: string, refusal: DiscordRefusal, options?: ErrorOptions) {
    const { status, platformCode, platformMessage } = refusal;
    const code = platformCode === 0 ? `HTTP ${status}` : String(platformCode);
    super(`Cannot ${action}: Discord answered ${code} (${platformMessage})`, options);
    this.status = status;
    this.platformCode = platformCode;
    this.platformMessage = platformMessage;
    this.retryAfterMs = refusal.retryAfterMs;
    this.isForAll = refusal.isForAll ?? false;
  }
}

/** No answer came that could be read: whether the call had an effect is not known. */
export class DiscordUnreachableError extends GatewayError {
  override readonly name = "DiscordUnreachableError";
  readonly code = "discord_unreachable";
  readonly recovery = "retry";

  constructor(action: string, reason: string, options?: ErrorOptions) {
    super(`Cannot ${action}: ${reason}`, options);
  }
}

/** The platform does not let this bot in; trying again makes no sense before a person acts. */
export class DiscordCredentialsError extends GatewayError {
  override readonly name = "DiscordCredentialsError";
  readonly code = "discord_credentials";
  readonly recovery = "give_up";

  constructor(reason: string, options?: ErrorOptions) {
    super(`Cannot sign in to Discord: ${reason}`, options);
  }
}

/** Said wherever the token is not taken. */
export const WRONG_TOKEN: string = "the token is wrong or was reset; " +
  "copy the present one from the developer portal, page Bot, to channels.discord.token";

/** There is no such channel, at least not for the bot. */
export const UNKNOWN_CHANNEL_CODE = 10003;
/** The message to change, to answer, or to react to is gone. */
export const UNKNOWN_MESSAGE_CODE = 10008;
/** The emoji does not exist here. */
export const UNKNOWN_EMOJI_CODE = 10014;
/** The file is larger than this place takes. */
export const TOO_LARGE_CODE = 40005;
/** The token of an interaction is spent: it counts for 15 minutes. */
export const INTERACTION_OVER_CODES: ReadonlySet<number> = new Set([10015, 10062, 50027]);

/** Does `error` carry this code? */
export function hasCode(error: unknown, code: number): error is DiscordRefusedError {
  return error instanceof DiscordRefusedError && error.platformCode === code;
}

/** Is the bot's token not taken? */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof DiscordRefusedError && error.status === 401;
}

/** Can the same call succeed later? Unanswered calls count. */
export function isPassing(error: unknown): boolean {
  if (error instanceof DiscordUnreachableError) return true;
  if (!(error instanceof DiscordRefusedError)) return false;
  // A token that was reset is put right by a person, and the rows wait meanwhile.
  return error.status === 429 || error.status === 401 || error.status >= 500;
}

/** The wait that the platform asks for, in milliseconds; null for a failure that will not pass. */
export function passingWait(error: unknown): number | null {
  if (!isPassing(error)) return null;
  return error instanceof DiscordRefusedError ? error.retryAfterMs ?? 0 : 0;
}

/** Did the call perhaps have an effect although it failed? */
export function isAmbiguous(error: unknown): boolean {
  return error instanceof DiscordUnreachableError ||
    (error instanceof DiscordRefusedError && error.status >= 500);
}

/** The failure as the outbox understands it. */
export function deliveryErrorOf(error: unknown): DeliveryError {
  return asDeliveryError(error, meaningOf);
}

function meaningOf(error: unknown): FailureMeaning {
  if (!(error instanceof DiscordRefusedError)) return { code: "delivery_transient" };
  if (!isPassing(error)) return { code: "delivery_permanent" };
  return { code: "delivery_transient", retryAfterMs: error.retryAfterMs };
}
