/**
 * What the two service managers have in common: a file that describes the service, and programs
 * that start, stop and ask about it. A manager is a value; `commands/service.ts` carries it out.
 * @module
 */

import { GatewayError } from "../../../actors/kernel/errors.ts";

/** Managers that there are. */
export type ServiceKind = "systemd" | "launchd";

/** What a service runs, and with what. */
export interface ServicePlan {
  /** Program and arguments. */
  readonly command: readonly string[];
  /** Where relative paths begin. */
  readonly folder: string;
  /** Lines `NAME=value`, with the secrets that the configuration names; it may be missing. */
  readonly environmentFile: string;
  /** Variables that are no secret. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A program to be run. */
export interface ServiceStep {
  readonly words: readonly string[];
  /** Its failure means that there was nothing to do. @default false */
  readonly mayFail?: boolean;
}

/** How a service is. */
export interface ServiceState {
  readonly isRunning: boolean;
  /** Null where it does not run. */
  readonly pid: number | null;
  /** With what it ended last; null where it never did, or nobody knows. */
  readonly lastExitCode: number | null;
  /** In the manager's own word, such as `active` or `failed`. */
  readonly state: string;
}

/** What logs are asked for. */
export interface LogsWanted {
  readonly lines: number;
  readonly isFollowing: boolean;
}

/** One way to keep a program running. */
export interface ServiceManager {
  readonly kind: ServiceKind;
  /** The file that describes the service. */
  readonly file: string;
  readonly text: (plan: ServicePlan) => string;
  /** After the file was written: the service starts, now and at every login. */
  readonly start: readonly ServiceStep[];
  /** Before the file goes. */
  readonly stop: readonly ServiceStep[];
  /** After the file went. */
  readonly forget: readonly ServiceStep[];
  /** Asks how it is; `read` understands the answer. */
  readonly ask: readonly string[];
  readonly read: (answer: string) => ServiceState;
  readonly logs: (wanted: LogsWanted) => readonly string[];
  /** What a person may want to do besides. */
  readonly advice: string;
}

/** Stands in each file that this program wrote; any other is left alone. */
export const OWN_MARK = "Written by `service install`, which replaces it";

/** Why a service cannot be looked after. */
export class ServiceError extends GatewayError {
  override readonly name = "ServiceError";
  readonly code: "service_unsupported" | "service_foreign" | "service_lacks" | "service_failed";
  readonly recovery = "give_up";
  /** What a command ends with. */
  readonly exitCode: number;

  constructor(code: ServiceError["code"], message: string) {
    super(message);
    this.code = code;
    this.exitCode = code === "service_failed" ? 1 : 2;
  }
}
