/**
 * What WhatsApp can answer instead of doing what it was asked, and what that means for a delivery.
 * @module
 */

import { GatewayError } from "../../actors/kernel/errors.ts";
import type { DeliveryError } from "../channel.ts";
import { asDeliveryError, type FailureMeaning } from "../delivering.ts";

/** The server took a message and refused it. */
export class WhatsAppRefusedError extends GatewayError {
  override readonly name = "WhatsAppRefusedError";
  readonly code = "whatsapp_refused";
  readonly recovery = "give_up";
  /** WhatsApp's code, which follows HTTP where it can. */
  readonly platformCode: number;

  constructor(what: string, platformCode: number, options?: ErrorOptions) {
    super(`Cannot send ${what}: WhatsApp answered ${platformCode}`, options);
    this.platformCode = platformCode;
  }
}

/** There is no connection, or it went before the answer came. */
export class WhatsAppUnreachableError extends GatewayError {
  override readonly name = "WhatsAppUnreachableError";
  readonly code = "whatsapp_unreachable";
  readonly recovery = "retry";

  constructor(what: string, reason: string, options?: ErrorOptions) {
    super(`Cannot send ${what}: ${reason}`, options);
  }
}

/** No device is linked, or WhatsApp no longer lets it in; a person must act. */
export class WhatsAppSignInError extends GatewayError {
  override readonly name = "WhatsAppSignInError";
  readonly code = "whatsapp_sign_in";
  readonly recovery = "give_up";

  constructor(reason: string, options?: ErrorOptions) {
    super(`Cannot sign in to WhatsApp: ${reason}`, options);
  }
}

/** Said when too much is sent; how long to wait is not said. */
const RATE_CODE = 429;
const RATE_WAIT_MS = 15_000;
const TIMED_OUT_CODE = 408;

/** May the same message be taken later? */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof WhatsAppRefusedError)) return true;
  const { platformCode } = error;
  return platformCode === RATE_CODE || platformCode === TIMED_OUT_CODE || platformCode >= 500;
}

/**
 * The failure as the outbox understands it. Nothing is in doubt: the id of a message is chosen
 * before it goes out, and a phone shows one id once.
 */
export function deliveryErrorOf(error: unknown): DeliveryError {
  return asDeliveryError(error, meaningOf);
}

function meaningOf(error: unknown): FailureMeaning {
  if (!isPassing(error)) return { code: "delivery_permanent" };
  const isRate = error instanceof WhatsAppRefusedError && error.platformCode === RATE_CODE;
  return { code: "delivery_transient", retryAfterMs: isRate ? RATE_WAIT_MS : undefined };
}
