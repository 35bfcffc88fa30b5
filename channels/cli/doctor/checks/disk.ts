/**
 * Whether there is room for what will be kept.
 * @module
 */

import { freeBytes, nearestFolder } from "../adapters/machine.ts";
import {
  type Check,
  fault,
  type Finding,
  LOCAL_MS,
  ok,
  skipped,
  warning,
  withConfig,
} from "../finding.ts";

const MEGABYTE = 1_000_000;
/** A full disk stops the gateway from accepting messages; this is a day's media and log. */
const FAULT_BYTES = 50 * MEGABYTE;
const WARNING_BYTES = 500 * MEGABYTE;

/** Looks at the disks of state and workspace. */
export const diskCheck: Check = {
  name: "Disk",
  timeoutMs: LOCAL_MS,
  run: withConfig(async ({ loaded: { locations } }) => {
    const folders = [locations.stateFolder, locations.workspace];
    const free = await Promise.all(
      folders.map(async (folder) => await freeBytes(await nearestFolder(folder))),
    );
    const known = free.filter((bytes) => bytes !== null);
    return [
      known.length === 0 ? skipped("this system does not tell") : roomFinding(Math.min(...known)),
    ];
  }),
};

/** What the room that is left comes to. */
export function roomFinding(bytes: number): Finding {
  const detail = `${Math.floor(bytes / MEGABYTE).toLocaleString("en")} MB are free`;
  const fix = "make room; channels.mediaDays and channels.mediaMegabytes bound what is kept";
  if (bytes < FAULT_BYTES) return fault(`only ${detail}: messages may soon not be accepted`, fix);
  return bytes < WARNING_BYTES ? warning(`only ${detail}`, fix) : ok(detail);
}
