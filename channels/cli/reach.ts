/**
 * How commands reach what they ask about: the gateway that runs, or the journal that it left.
 * @module
 */

import type { LoadedConfig } from "../../actors/config/load_config.ts";
import { connectControl } from "../../actors/gateway/adapters/control_socket.ts";
import { systemWorld } from "../../actors/gateway/adapters/system_world.ts";
import { askDoor } from "../../actors/gateway/control_client.ts";
import type { ControlRequest } from "../../actors/gateway/control.ts";
import { LockedError, StartError } from "../../actors/gateway/errors.ts";
import { withIdleJournal } from "../../actors/gateway/state_journal.ts";
import type { Journal } from "../../actors/journal/journal.ts";

/** A question for the gateway, and how to answer it while none runs. */
export interface Errand<Params, Result> {
  /** The command that asks, for others that meet its lock. */
  readonly command: string;
  readonly request: ControlRequest<Params, Result>;
  readonly params: Params;
  readonly offline: (journal: Journal) => Promise<Result>;
}

/**
 * Asks the running gateway, else the journal; null when there is neither.
 *
 * @throws {ControlError} {StartError}
 */
export async function run<Params, Result>(
  { locations: { stateFolder } }: LoadedConfig,
  { command, request, params, offline }: Errand<Params, Result>,
): Promise<Result | null> {
  const world = systemWorld();
  const peer = await connectControl(stateFolder);
  if (peer !== null) return await askDoor(peer, request, params, world.clock);
  try {
    return await withIdleJournal(stateFolder, { world, command }, offline);
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new StartError(error.code, `${error.message} (its control door is shut)`, {
      cause: error,
    });
  }
}
