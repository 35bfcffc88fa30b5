/**
 * How the gateway is that runs, or whether one can start.
 * @module
 */

import type { GatewayStatus } from "../../../../actors/gateway/control_requests.ts";
import { LockedError } from "../../../../actors/gateway/errors.ts";
import { lacksFolder } from "../../../../actors/gateway/adapters/local_folders.ts";
import { takeLocks } from "../../../../actors/gateway/locks.ts";
import { asError } from "../../../../actors/kernel/errors.ts";
import { duration } from "../../status_text.ts";
import { VERSION } from "../../version.ts";
import { tryPort, writtenAtMs } from "../adapters/machine.ts";
import {
  type Check,
  fault,
  type Finding,
  LOCAL_MS,
  ok,
  type ReadyScene,
  warning,
  withConfig,
} from "../finding.ts";

const RESTART = "restart the gateway";

/** Asks it, or tries what it would take. */
export const gatewayCheck: Check = {
  name: "Gateway",
  timeoutMs: LOCAL_MS,
  takesLocks: true,
  run: withConfig(async (scene) => {
    const { running, silence } = scene;
    if (silence !== null) {
      return [fault(`it does not answer: ${silence}`, "logs tells why; then restart it")];
    }
    return running === null ? await startable(scene) : await healthy(running);
  }),
};

async function healthy(running: GatewayStatus): Promise<readonly Finding[]> {
  const { health, pid } = running;
  const jobsTrouble = health.jobs?.trouble ?? null;
  return [
    ok(`process ${pid} runs, ${health.status}, up ${duration(health.uptime_s)}`),
    ...(health.status === "ok" ? [] : [
      fault(`it is ${health.status}: messages may not be accepted`, "look at Disk and Folders"),
    ]),
    ...(health.version === VERSION ? [] : [
      warning(`it is version ${health.version}, this program is ${VERSION}`, RESTART),
    ]),
    ...(health.fence === null ? [] : [
      warning(
        `it is a restored copy: nothing is sent and no job runs (backup of ${health.fence.backed_up_at})`,
        health.fence.lifted_by,
      ),
    ]),
    ...await editsOf(running),
    ...(jobsTrouble === null ? [] : [fault(`jobs cannot be kept: ${jobsTrouble}`, "cron list")]),
    ...(health.dead_letters > 0
      ? [warning(`${health.dead_letters} messages inside it were not handled`, "logs names them")]
      : []),
  ];
}

/** What it makes of edits of its configuration. */
async function editsOf(
  { health, configFile, startedAtMs }: GatewayStatus,
): Promise<readonly Finding[]> {
  const { config } = health;
  if (config === null) {
    const changedAtMs = await writtenAtMs(configFile);
    const isStale = changedAtMs !== null && changedAtMs > startedAtMs;
    return isStale ? [warning("the configuration was changed after its start", RESTART)] : [];
  }
  const waiting = config.at_next_start;
  return [
    ...(config.problem === null ? [] : [
      fault(`it did not take the last edit: ${config.problem}`, "correct it: config check"),
    ]),
    ...(waiting.length === 0
      ? []
      : [warning(`changed, and for its next start: ${waiting.join(", ")}`, RESTART)]),
  ];
}

async function startable({ loaded, world }: ReadyScene): Promise<readonly Finding[]> {
  const { locations, config } = loaded;
  if (![locations.stateFolder, locations.workspace].some(lacksFolder)) {
    try {
      const taker = { clock: world.clock, command: "doctor" };
      using _locks = await takeLocks(locations, taker, { isBrief: true });
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      return [fault(error.message, null)];
    }
  }
  const { host, port } = config.gateway;
  try {
    tryPort(host, port);
    return [ok(`not running; it can start (port ${port} is free)`)];
  } catch (error) {
    const why = asError(error).message.replace(/ \(os error \d+\).*$/s, "");
    // A port that is taken, or one of the system's own; else it is no address of this machine.
    const isPort = error instanceof Deno.errors.AddrInUse ||
      error instanceof Deno.errors.PermissionDenied;
    const fix = isPort
      ? "stop what uses it, or: config set gateway.port <another>"
      : "this machine has no such address: config set gateway.host 127.0.0.1";
    return [fault(`not running, and ${host}:${port} cannot be had: ${why}`, fix)];
  }
}
