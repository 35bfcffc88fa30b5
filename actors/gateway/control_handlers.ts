/**
 * How the gateway answers at its control door.
 * @module
 */

import { answers, type ControlHandler } from "./control_handler.ts";
import {
  dropRequest,
  failedRequest,
  type GatewayStatus,
  retryRequest,
  statusRequest,
} from "./control_requests.ts";
import type { HealthReport } from "./health.ts";
import type { StrandedMessages } from "./stranded.ts";

/** What the handlers tell of and work on. */
export interface ControlScene {
  readonly facts: () => Omit<GatewayStatus, "health">;
  readonly health: () => Promise<HealthReport>;
  readonly stranded: StrandedMessages;
}

/** The requests that every gateway answers. */
export function gatewayHandlers({ facts, health, stranded }: ControlScene): ControlHandler[] {
  const status = answers(
    statusRequest,
    async () => ({ ...facts(), health: { ...await health() } }),
  );
  return [
    status,
    answers(failedRequest, async ({ limit }) => ({ messages: await stranded.list(limit) })),
    answers(retryRequest, async ({ id }) => ({ state: await stranded.retry(id) })),
    answers(dropRequest, async ({ id }) => ({ state: await stranded.drop(id) })),
  ];
}
