/**
 * `doctor`: everything looked at, and what to do about what is not well.
 * @module
 */

import { systemConfigSource } from "../../../actors/config/adapters/system_source.ts";
import { ConfigError } from "../../../actors/config/errors.ts";
import { loadConfig, type LoadedConfig } from "../../../actors/config/load_config.ts";
import { locate, locateConfig } from "../../../actors/config/locations.ts";
import { connectControl } from "../../../actors/gateway/adapters/control_socket.ts";
import {
  bypassProxyForLoopback,
  removeFromEnvironment,
} from "../../../actors/gateway/adapters/environment.ts";
import { configureLogging } from "../../../actors/gateway/adapters/logging.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { askDoor } from "../../../actors/gateway/control_client.ts";
import { statusRequest } from "../../../actors/gateway/control_requests.ts";
import { thisMachine } from "../../../actors/gateway/rights/adapters/machine.ts";
import { GatewayError } from "../../../actors/kernel/errors.ts";
import { channelManifests } from "../../registry.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { CHECKS } from "../doctor/checks.ts";
import { examine } from "../doctor/examine.ts";
import type { Check, DoctorScene } from "../doctor/finding.ts";
import { findingText, reportJson, summaryText } from "../doctor/report_text.ts";
import { EXIT_DONE, EXIT_FAILED } from "../exit_codes.ts";
import type { LoadFlags } from "../load.ts";

/** Flags of the command. */
export interface DoctorFlags extends Pick<LoadFlags, "config" | "workspace"> {
  readonly json?: boolean | undefined;
  /** Nothing is asked over the network. */
  readonly offline?: boolean | undefined;
}

/** Looks at everything; 1 when something does not work. */
export async function doctorCommand(
  flags: DoctorFlags,
  terminal: Terminal,
  checks: readonly Check[] = CHECKS,
): Promise<number> {
  const scene = await makeScene(flags);
  const found = await examine(checks, scene, (findings) => {
    if (flags.json !== true) terminal.write(findings.map(findingText).join(""));
  });
  terminal.write(flags.json === true ? reportJson(found) : summaryText(found));
  return found.some(({ state }) => state === "fault") ? EXIT_FAILED : EXIT_DONE;
}

async function makeScene(flags: DoctorFlags): Promise<DoctorScene> {
  const machine = thisMachine(); // before secrets are taken out of the environment
  const source = systemConfigSource();
  const place = locateConfig(source, flags.config);
  configureLogging({ write: () => {}, isVerbose: false, hasColors: false, secrets: () => [] });
  const read = await tryLoading(flags);
  removeFromEnvironment(read.loaded?.secrets.variables ?? []);
  bypassProxyForLoopback();
  const world = systemWorld();
  return {
    source,
    configFile: place.configFile,
    ...read,
    machine,
    ...await askGateway(locate(place, "").stateFolder, world),
    isOffline: flags.offline ?? false,
    world,
  };
}

async function tryLoading(
  { config, workspace }: DoctorFlags,
): Promise<{ readonly loaded: LoadedConfig | null; readonly faults: readonly string[] }> {
  try {
    const source = systemConfigSource();
    return {
      loaded: await loadConfig({
        source,
        manifests: channelManifests,
        configPath: config,
        workspace,
      }),
      faults: [],
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { loaded: null, faults: error.faults.map(({ line }) => line) };
  }
}

async function askGateway(
  stateFolder: string,
  { clock }: DoctorScene["world"],
): Promise<Pick<DoctorScene, "running" | "silence">> {
  try {
    const peer = await connectControl(stateFolder);
    const running = peer === null ? null : await askDoor(peer, statusRequest, {}, clock);
    return { running, silence: null };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { running: null, silence: error.message };
  }
}
