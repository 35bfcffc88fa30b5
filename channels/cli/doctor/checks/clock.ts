/**
 * Whether this machine knows the time.
 * @module
 */

import { chooseModels } from "../../../../providers/model_choice.ts";
import { serverTimeMs } from "../adapters/machine.ts";
import { type Check, fault, type Finding, ok, skipped, warning, withConfig } from "../finding.ts";

/** Platforms refuse signatures that are older. */
const FAULT_MS = 5 * 60_000;
const WARNING_MS = 30_000;

/** Compares it with what the model's server says. */
export const clockCheck: Check = {
  name: "Clock",
  timeoutMs: 10_000,
  run: withConfig(async ({ loaded: { config }, isOffline, world: { clock } }, signal) => {
    const zone = `jobs go by ${config.agents.defaults.timezone}`;
    const choice = chooseModels(config.agents.defaults, config.providers);
    if (isOffline || choice.state !== "chosen") {
      return [skipped(`compared with no server; ${zone}`)];
    }
    const beganMs = clock.now();
    const theirMs = await serverTimeMs(choice.choice.baseUrl, signal).catch(() => null);
    if (theirMs === null) return [skipped(`the model's server does not tell the time; ${zone}`)];
    return [offsetFinding((beganMs + clock.now()) / 2 - theirMs, zone)];
  }),
};

/** What a difference comes to. @param offsetMs above 0: ours is ahead */
export function offsetFinding(offsetMs: number, zone: string): Finding {
  const seconds = Math.round(Math.abs(offsetMs) / 1_000);
  const detail = `${seconds} s ${offsetMs > 0 ? "ahead of" : "behind"} the model's server; ${zone}`;
  const fix = "switch on that the system sets its clock by the network";
  if (Math.abs(offsetMs) >= FAULT_MS) {
    return fault(`${detail}: platforms will refuse what we sign`, fix);
  }
  return Math.abs(offsetMs) >= WARNING_MS ? warning(detail, fix) : ok(`right; ${zone}`);
}
