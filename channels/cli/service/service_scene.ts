/**
 * Whose service it is, on which machine, and how it is.
 * @module
 */

import { systemName } from "../../../actors/gateway/adapters/local_folders.ts";
import { userHomeFolder } from "../../../actors/kernel/adapters/user_home.ts";
import { readConfigFile } from "../adapters/config_file.ts";
import { type ProgramVariables, runProgram, userId, variablesNow } from "../adapters/programs.ts";
import { launchd } from "./launchd.ts";
import {
  ServiceError,
  type ServiceKind,
  type ServiceManager,
  type ServiceState,
} from "./service_manager.ts";
import { systemd } from "./systemd.ts";

/** Flags of all of them. */
export interface ServiceFlags {
  readonly name: string;
  /** @default this system's own */
  readonly manager?: ServiceKind | undefined;
}

/** The person and the machine that a service is for. */
export interface ServiceScene {
  readonly home: string;
  /** As Deno names it. */
  readonly system: string;
  readonly userId: number;
  readonly variables: ProgramVariables;
}

/** Those of this process. */
export function thisScene(): ServiceScene {
  return {
    home: userHomeFolder(),
    system: systemName(),
    userId: userId(),
    variables: variablesNow(),
  };
}

/** A service as it is on the machine. */
export interface FoundService {
  readonly manager: ServiceManager;
  /** Of its file; null where it is not installed. */
  readonly text: string | null;
  readonly state: ServiceState;
}

/**
 * Reads its file, and asks the system.
 *
 * @throws {ServiceError} where the system keeps no services that are known
 */
export async function lookAtService(
  flags: ServiceFlags,
  scene: ServiceScene,
): Promise<FoundService> {
  const manager = managerFor(flags, scene);
  const text = await readConfigFile(manager.file);
  const answer = text === null ? null : await runProgram(manager.ask, scene.variables);
  return { manager, text, state: manager.read(answer?.code === 0 ? answer.stdout : "") };
}

/**
 * What looks after services on this system, unless another one is named.
 *
 * @throws {ServiceError}
 */
export function managerFor(
  { name, manager }: ServiceFlags,
  { home, system, userId }: ServiceScene,
): ServiceManager {
  const kind = manager ?? (system === "linux" ? "systemd" : system === "darwin" ? "launchd" : null);
  if (kind === "systemd") return systemd(name, home);
  if (kind === "launchd") return launchd(name, home, userId);
  throw new ServiceError(
    "service_unsupported",
    `Cannot look after a service on "${system}": only systemd and launchd are known; start ` +
      "`gateway` by what your system has for that, such as the Task Scheduler",
  );
}
