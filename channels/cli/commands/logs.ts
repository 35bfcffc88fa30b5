/**
 * `logs`: what the gateway wrote into its log, whether it runs or not.
 * @module
 */

import { systemConfigSource } from "../../../actors/config/adapters/system_source.ts";
import { locate, locateConfig } from "../../../actors/config/locations.ts";
import { logFolder } from "../../../actors/gateway/adapters/log_files.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { type Clock, sleep } from "../../../actors/kernel/clock.ts";
import { logLines } from "../adapters/log_reader.ts";
import { exitCodeFor, untilAskedToStop } from "../adapters/process.ts";
import type { Terminal } from "../adapters/terminal.ts";
import type { LogLevel } from "../log_levels.ts";
import { isWanted, type LogRecord, parseLogLine } from "../log_text.ts";
import type { Since } from "./audit.ts";

/** Flags of the command. */
export interface LogsFlags {
  readonly config?: string | undefined;
  readonly follow?: boolean | undefined;
  readonly level?: LogLevel | undefined;
  readonly since?: Since | undefined;
  /** Records at most, the newest; those that come while it follows are not counted. */
  readonly limit: number;
  readonly json?: boolean | undefined;
}

/** Shows records, oldest first; 0 whether there are any or not. */
export async function logsCommand(flags: LogsFlags, terminal: Terminal): Promise<number> {
  // Only the place of the configuration counts: what is wrong in it may stand in the log.
  const place = locateConfig(systemConfigSource(), flags.config);
  const folder = logFolder(locate(place, "").stateFolder);
  const { clock } = systemWorld();
  const { level, since } = flags;
  const sinceMs = since?.agoMs === undefined ? since?.atMs : clock.now() - since.agoMs;
  const write = ({ line, text }: LogRecord) =>
    terminal.write(`${flags.json === true ? line : text}\n`);
  using following = flags.follow === true ? followUntilAsked(clock) : undefined;
  const last: LogRecord[] = [];
  let hasCaughtUp = false;
  let count = 0;
  for await (const line of logLines(folder, following)) {
    if (terminal.hasLeft?.() === true) return 0;
    if (line === null) {
      hasCaughtUp = true;
      last.splice(0).forEach(write);
      continue;
    }
    const record = parseLogLine(line);
    if (record === null || !isWanted(record, { level, sinceMs })) continue;
    count++;
    if (hasCaughtUp) write(record);
    else if (last.push(record) > flags.limit) last.shift();
  }
  if (following !== undefined) return exitCodeFor(await following.asked);
  if (count === 0) terminal.writeError(`Nothing of that is in the log (${folder})\n`);
  return 0;
}

/** Lets the log be followed until a signal comes, which ends it in good order. */
function followUntilAsked(clock: Clock) {
  const ending = new AbortController();
  const asked = untilAskedToStop(ending.signal).then((signal) => {
    ending.abort();
    return signal;
  });
  return {
    asked,
    signal: ending.signal,
    pause: (delayMs: number, signal: AbortSignal) => sleep(clock, delayMs, signal).catch(() => {}),
    [Symbol.dispose]: () => ending.abort(),
  };
}
