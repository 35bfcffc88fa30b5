/**
 * The inside of a tool host: what its kind gives to the tools that run there.
 * @module
 */

import type { Clock } from "../../kernel/clock.ts";
import type { NewId } from "../../kernel/random.ts";
import type { Tool, ToolContext, ToolFiles, ToolOrigin } from "../tool.ts";
import type { HostSetup } from "./host_protocol.ts";

/** What a host's tools share; what a kind has no right to is `refused_ports.ts`. */
export type HostContext = Pick<ToolContext, "files" | "processes" | "net" | "send">;

/** The inside of a host. */
export interface HostInside {
  readonly context: HostContext;
  /** The files that the tools of a session see. @default all see those of the context */
  readonly filesFor?: (origin: ToolOrigin) => ToolFiles;
  /** Loads a tool; undefined where the kind has none of that name. */
  find(name: string): Promise<Tool> | undefined;
}

/** Time and ids of the host's own process. */
export interface HostWorld {
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Makes the inside of a host. */
export type OpenKind = (setup: HostSetup, world: HostWorld) => HostInside;
