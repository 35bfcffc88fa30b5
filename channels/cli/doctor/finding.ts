/**
 * What a check of `doctor` finds, and the contract of the checks.
 * @module
 */

import type { ConfigSource } from "../../../actors/config/source.ts";
import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import type { GatewayStatus } from "../../../actors/gateway/control_requests.ts";
import type { Machine } from "../../../actors/gateway/rights/rights_facts.ts";
import type { World } from "../../../actors/gateway/world.ts";

/** `fault`: something does not work. `warning`: it works, and is hardly meant. */
export type FindingState = "ok" | "warning" | "fault" | "skipped";

/** One thing that was looked at. Neither text may hold a secret. */
export interface Finding {
  readonly state: FindingState;
  readonly detail: string;
  /** What to do; null when nothing, or when `detail` says it. */
  readonly fix: string | null;
}

/** What checks work with. */
export interface DoctorScene {
  readonly source: ConfigSource;
  readonly configFile: string;
  /** Null when the configuration cannot be used; `faults` say why, a line each. */
  readonly loaded: LoadedConfig | null;
  readonly faults: readonly string[];
  /** As it was before secrets were taken out of the environment. */
  readonly machine: Machine;
  /** The gateway that runs with this configuration; null when none does. */
  readonly running: GatewayStatus | null;
  /** Why the one that runs does not answer; null when it does, or none runs. */
  readonly silence: string | null;
  /** Nothing is asked over the network. */
  readonly isOffline: boolean;
  readonly world: World;
}

/** The same with a configuration that can be used. */
export interface ReadyScene extends DoctorScene {
  readonly loaded: LoadedConfig;
}

/** One check: a file in `checks/` and a line in `checks.ts`. */
export interface Check {
  /** One or two words, for people and scripts. */
  readonly name: string;
  /** Past it the check counts as failed. */
  readonly timeoutMs: number;
  /** It takes locks for a moment: such checks run one after the other. @default false */
  readonly takesLocks?: boolean;
  /** Looks; a rejection is a fault. Leaves nothing behind. */
  readonly run: (scene: DoctorScene, signal: AbortSignal) => Promise<readonly Finding[]>;
}

/** Local looks at files, locks and ports take far less. */
export const LOCAL_MS = 10_000;

/** A look that a configuration is needed for. */
export function withConfig(
  run: (scene: ReadyScene, signal: AbortSignal) => Promise<readonly Finding[]>,
): Check["run"] {
  return async (scene, signal) => {
    const { loaded } = scene;
    if (loaded === null) return [skipped("the configuration has to be usable first")];
    return await run({ ...scene, loaded }, signal);
  };
}

/** All is well. */
export function ok(detail: string): Finding {
  return { state: "ok", detail, fix: null };
}

/** It works, and somebody should know. */
export function warning(detail: string, fix: string | null): Finding {
  return { state: "warning", detail, fix };
}

/** It does not work. */
export function fault(detail: string, fix: string | null): Finding {
  return { state: "fault", detail, fix };
}

/** It was not looked at, and why. */
export function skipped(detail: string): Finding {
  return { state: "skipped", detail, fix: null };
}
