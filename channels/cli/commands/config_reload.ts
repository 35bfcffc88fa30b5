/**
 * `config reload`: has the running gateway read its configuration now.
 * @module
 */

import { connectControl } from "../../../actors/gateway/adapters/control_socket.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { askDoor } from "../../../actors/gateway/control_client.ts";
import { reloadRequest } from "../../../actors/gateway/live/reload_request.ts";
import { systemConfigSource } from "../../../actors/config/adapters/system_source.ts";
import { locate, locateConfig } from "../../../actors/config/locations.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { reloadText } from "../reload_text.ts";

/** Flags of the command. */
export interface ReloadFlags {
  readonly config?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Says what was applied; 1 when nothing was, or no gateway runs, 2 when the file is wrong. */
export async function reloadCommand(flags: ReloadFlags, terminal: Terminal): Promise<number> {
  // The gateway reads the file: a mistake in it is told by its answer.
  const { stateFolder } = locate(locateConfig(systemConfigSource(), flags.config), "");
  const peer = await connectControl(stateFolder);
  if (peer === null) {
    terminal.writeError("Error: Cannot reload: no gateway runs; it reads the file as it starts\n");
    return 1;
  }
  const outcome = await askDoor(peer, reloadRequest, {}, systemWorld().clock);
  const isRefused = outcome.state === "refused";
  if (flags.json === true) terminal.write(`${JSON.stringify(outcome, null, 2)}\n`);
  else (isRefused ? terminal.writeError : terminal.write)(reloadText(outcome));
  return isRefused ? 2 : 0;
}
