/**
 * A context in which there is the network, and nothing else.
 * @module
 */

import { REFUSED } from "../../../../actors/tools/host/refused_ports.ts";
import type { ToolContext, ToolNet } from "../../../../actors/tools/tool.ts";

/** The context of a web tool's call. */
export function contextWith(net: ToolNet, signal?: AbortSignal): ToolContext {
  return {
    workspace: "/nowhere",
    origin: { channel: "feishu", chatId: "oc_1", sessionKey: "feishu:oc_1" },
    ...REFUSED,
    net,
    signal: signal ?? new AbortController().signal,
    reads: new Map(),
  };
}
