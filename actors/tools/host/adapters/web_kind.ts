/**
 * The host of the web tools: the network, and no disk at all.
 * @module
 */

import { createToolNet } from "../../net/adapters/tool_net.ts";
import { webSettings } from "../../web/web_settings.ts";
import { webTools } from "../../web/web_tools.ts";
import type { HostInside, HostWorld } from "../host_inside.ts";
import type { HostSetup } from "../host_protocol.ts";
import { REFUSED } from "../refused_ports.ts";

/** Opens the host; its settings say what the tools and their network are made with. */
export function openWebKind(setup: HostSetup, { clock }: HostWorld): HostInside {
  const settings = webSettings.parse(setup.settings);
  const tools = new Map(webTools(settings).map((tool) => [tool.name, tool]));
  return {
    context: { ...REFUSED, net: createToolNet({ clock, ...settings }) },
    find: (name) => {
      const tool = tools.get(name);
      return tool === undefined ? undefined : Promise.resolve(tool);
    },
  };
}
