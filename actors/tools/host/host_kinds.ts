/**
 * The kinds of hosts, each loaded when it is opened.
 * @module
 */

import type { HostInside, HostWorld, OpenKind } from "./host_inside.ts";
import type { HostKind, HostSetup } from "./host_protocol.ts";

/** Each kind in a module of its own, so that a host loads nothing of the others. */
const KINDS: Readonly<Record<HostKind, () => Promise<OpenKind>>> = {
  files: async () => (await import("./adapters/files_kind.ts")).openFilesKind,
  web: async () => (await import("./adapters/web_kind.ts")).openWebKind,
  plugin: async () => (await import("./adapters/plugin_kind.ts")).openPluginKind,
  hook: async () => (await import("./adapters/hook_kind.ts")).openHookKind,
};

/** Opens the kind that a host was started for. */
export async function openKind(setup: HostSetup, world: HostWorld): Promise<HostInside> {
  return (await KINDS[setup.kind]())(setup, world);
}
