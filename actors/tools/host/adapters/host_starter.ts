/**
 * How tool hosts start here: as processes where that is allowed, else as threads.
 * @module
 */

import type { StartHost } from "../host_link.ts";
import { startHostProcess } from "./process_link.ts";
import { startHostInside } from "./thread_link.ts";

/** A way to start hosts. */
export interface HostStarter {
  readonly start: StartHost;
  /** Whether each host is a process of its own, which can be ended and limited from outside. */
  readonly isProcess: boolean;
}

/** The best way that this process has the rights for. */
export function hostStarter(): HostStarter {
  const { state } = Deno.permissions.querySync({ name: "run", command: Deno.execPath() });
  return state === "granted"
    ? { start: startHostProcess, isProcess: true }
    : { start: startHostInside, isProcess: false };
}
