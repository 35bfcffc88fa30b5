/**
 * `top`: what goes on inside the running gateway, again and again.
 * @module
 */

import { connectControl } from "../../../actors/gateway/adapters/control_socket.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { askDoor } from "../../../actors/gateway/control_client.ts";
import { type Top, topRequest } from "../../../actors/gateway/watch/top.ts";
import { sleep } from "../../../actors/kernel/clock.ts";
import { leaveOnSignal } from "../adapters/process.ts";
import { COLUMNS_USUAL, type Terminal } from "../adapters/terminal.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import { topLines } from "../top_text.ts";

/** Flags of the command. */
export interface TopFlags extends LoadFlags {
  /** Seconds between looks. */
  readonly every: number;
  readonly once?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Clears what is left of the line, and below the last line. */
const CLEAR_LINE = "\x1b[K";
const CLEAR_BELOW = "\x1b[J";
const HOME = "\x1b[H";
/** A second screen, so that what stood in the terminal comes back. */
const ENTER = "\x1b[?1049h\x1b[?25l";
const LEAVE = "\x1b[?25h\x1b[?1049l";

/** Shows it until it is interrupted, or the gateway goes; 1 where none runs. */
export async function topCommand(flags: TopFlags, terminal: Terminal): Promise<number> {
  const { locations } = await loadAndPrepare(flags, terminal, { logs: false });
  const { clock } = systemWorld();
  const look = async () => {
    const peer = await connectControl(locations.stateFolder);
    return peer === null ? null : await askDoor(peer, topRequest, {}, clock);
  };
  const first = await look();
  if (first === null) {
    terminal.writeError(
      "Error: Cannot look inside the gateway: none runs with this state folder\n",
    );
    return 1;
  }
  const isDrawn = terminal.canRedraw === true && flags.json !== true && flags.once !== true;
  using leaving = leaveOnSignal();
  if (isDrawn) terminal.write(ENTER);
  try {
    for (let top: Top | null = first; top !== null; top = await look()) {
      show(top, { terminal, isDrawn, isJson: flags.json === true });
      if (flags.once === true || leaving.signal.aborted || terminal.hasLeft?.() === true) return 0;
      await sleep(clock, flags.every * 1_000, leaving.signal).catch(() => {});
      if (leaving.signal.aborted) return 0;
    }
  } finally {
    if (isDrawn) terminal.write(LEAVE);
  }
  terminal.writeError("The gateway has ended\n");
  return 1;
}

/** How looks are shown. */
interface Showing {
  readonly terminal: Terminal;
  /** Each takes the place of the one before. */
  readonly isDrawn: boolean;
  readonly isJson: boolean;
}

function show(top: Top, { terminal, isDrawn, isJson }: Showing): void {
  if (isJson) return terminal.write(`${JSON.stringify(top)}\n`);
  const columns = terminal.columns?.() ?? COLUMNS_USUAL;
  if (!isDrawn) {
    const lines = topLines(top, { columns: terminal.isInteractive ? columns : Infinity });
    return terminal.write(`${lines.join("\n")}\n\n`);
  }
  const rows = terminal.rows?.();
  const lines = topLines(top, { columns, rows }).slice(0, rows);
  terminal.write(HOME + lines.map((line) => line + CLEAR_LINE).join("\r\n") + CLEAR_BELOW);
}
