/**
 * Opens the control door of a gateway.
 * @module
 */

import { asError } from "../kernel/errors.ts";
import { listenControl } from "./adapters/control_socket.ts";
import { processId } from "./adapters/lock_file.ts";
import { ControlDoor } from "./control_door.ts";
import type { ControlHandler } from "./control_handler.ts";
import { refusing } from "./backup/fence.ts";
import { retryRequest } from "./control_requests.ts";
import { gatewayHandlers } from "./control_handlers.ts";
import { DEFAULT_COMMAND, type GatewayOptions } from "./gateway_options.ts";
import type { HealthReport } from "./health.ts";
import type { StrandedMessages } from "./stranded.ts";

/** What the control door tells of. */
export interface ControlFacts {
  readonly startedAtMs: number;
  /** As it is just now. */
  readonly model: () => string;
  readonly healthUrl: string;
  readonly report: () => Promise<HealthReport>;
  readonly stranded: StrandedMessages;
  /** A fenced gateway takes nothing up. */
  readonly isFenced: boolean;
  readonly sessions: readonly ControlHandler[];
}

/** Opens the control door; a gateway without one still serves its chats. */
export async function openControl(
  { loaded, version, world, print, command, handlers = [] }: GatewayOptions,
  owned: AsyncDisposableStack,
  { report, stranded, sessions, isFenced, model, ...facts }: ControlFacts,
): Promise<void> {
  const { configFile, workspace, stateFolder } = loaded.locations;
  try {
    const own = gatewayHandlers({
      facts: () => ({
        ...facts,
        model: model(),
        pid: processId(),
        command: command ?? DEFAULT_COMMAND,
        configFile,
        workspace,
        stateFolder,
      }),
      health: report,
      stranded,
    });
    const door = owned.use(
      new ControlDoor({
        listener: await listenControl(stateFolder),
        handlers: [...(isFenced ? withoutRetry(own) : own), ...sessions, ...handlers],
        clock: world.clock,
        version,
      }),
    );
    print(`Control: ${door.place}`);
  } catch (error) {
    print(`Control: off, so commands cannot reach this gateway: ${asError(error).message}`);
  }
}

function withoutRetry(handlers: readonly ControlHandler[]): readonly ControlHandler[] {
  return handlers.flatMap((handler) =>
    handler.name === retryRequest.name ? refusing([handler]) : [handler]
  );
}
