/**
 * What each kind of host holds: its tools, loaded when they are called, and what they may use.
 * @module
 */

import type { Clock } from "../../kernel/clock.ts";
import type { NewId } from "../../kernel/random.ts";
import type { Tool, ToolContext } from "../tool.ts";
import type { HostKind, HostSetup } from "./host_protocol.ts";

/** What a host's tools share; what a kind has no right to is `refused_ports.ts`. */
export type HostContext = Pick<ToolContext, "files" | "processes" | "net" | "send">;

/** The inside of a host. */
export interface HostInside {
  readonly context: HostContext;
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

/** Each kind in a module of its own, so that a host loads nothing of the others. */
const KINDS: Readonly<Record<HostKind, () => Promise<OpenKind>>> = {
  files: async () => (await import("./adapters/files_kind.ts")).openFilesKind,
  web: async () => (await import("./adapters/web_kind.ts")).openWebKind,
  plugin: async () => (await import("./adapters/plugin_kind.ts")).openPluginKind,
};

/** Opens the kind that a host was started for. */
export async function openKind(setup: HostSetup, world: HostWorld): Promise<HostInside> {
  return (await KINDS[setup.kind]())(setup, world);
}
