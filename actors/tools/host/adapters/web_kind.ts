/**
 * The host of the web tools: the network, and no disk at all.
 * @module
 */

import type { Tool } from "../../tool.ts";
import type { HostInside, HostWorld } from "../host_kinds.ts";
import type { HostSetup } from "../host_protocol.ts";
import { REFUSED_FILES, REFUSED_NET, REFUSED_PROCESSES, refuseSend } from "../refused_ports.ts";

/** `settings` of the setup says what the tools are made with. */
const TOOLS: Readonly<Record<string, (setup: HostSetup) => Promise<Tool>>> = {};

/** Opens the host. */
export function openWebKind(setup: HostSetup, _world: HostWorld): HostInside {
  return {
    context: {
      files: REFUSED_FILES,
      processes: REFUSED_PROCESSES,
      net: REFUSED_NET,
      send: refuseSend,
    },
    find: (name) => Object.hasOwn(TOOLS, name) ? TOOLS[name]?.(setup) : undefined,
  };
}
