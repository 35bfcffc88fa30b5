/**
 * What can keep the channel from listening, and what its failures mean to the outbox.
 * @module
 */

import { GatewayError } from "../../actors/kernel/errors.ts";
import { asDeliveryError } from "../delivering.ts";
import type { DeliveryError } from "../channel.ts";

/** The section cannot work as it stands. */
export class WebsocketSetupError extends GatewayError {
  override readonly name = "WebsocketSetupError";
  readonly code = "websocket_setup";
  readonly recovery = "give_up";
}

/** The place cannot be listened at just now. */
export class ListenError extends GatewayError {
  override readonly name = "ListenError";
  readonly code = "websocket_listen";
  readonly recovery = "retry";
}

/** Nothing but the disk fails here, and that may pass; what is kept of a send tells it from none. */
export function deliveryErrorOf(error: unknown): DeliveryError {
  return asDeliveryError(error, () => ({ code: "delivery_transient" }));
}
