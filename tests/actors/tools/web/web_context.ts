/**
 * A context in which there is the network, and nothing else.
 * @module
 */

import {
  REFUSED_FILES,
  REFUSED_PROCESSES,
  refuseSend,
} from "../../../../actors/tools/host/refused_ports.ts";
import type { ToolContext, ToolNet } from "../../../../actors/tools/tool.ts";

/** The context of a web tool's call. */
export function contextWith(net: ToolNet, signal?: AbortSignal): ToolContext {
  return {
    workspace: "/nowhere",
    origin: { channel: "feishu", chatId: "oc_1", sessionKey: "feishu:oc_1" },
    files: REFUSED_FILES,
    processes: REFUSED_PROCESSES,
    net,
    send: refuseSend,
    signal: signal ?? new AbortController().signal,
    reads: new Map(),
  };
}
