/**
 * Tools that run in a host: same name and schema, but the work is done elsewhere.
 * @module
 */

import type { Tool, ToolNeeds } from "../tool.ts";
import type { HostKind } from "./host_protocol.ts";
import type { ToolHosts } from "./tool_hosts.ts";

/** Where a tool with these needs runs; undefined is the main process. */
export function hostFor({ read, write, net, run, send }: ToolNeeds): HostKind | undefined {
  if (run !== undefined || send !== undefined) return undefined;
  if (net !== undefined) return "web";
  return read !== undefined || write !== undefined ? "files" : undefined;
}

/** The tool, run in the host that fits its needs; tools that need none are given back. */
export function hostedTool(tool: Tool, hosts: ToolHosts): Tool {
  const kind = hostFor(tool.needs);
  if (kind === undefined) return tool;
  return {
    ...tool,
    call: async (sent, { origin, reads, signal, resultCharsMax }) => {
      // Here, as a host has no schemas: and what is wrong needs none.
      const args = tool.check?.(sent) ?? sent;
      const call = { tool: tool.name, args, origin, resultCharsMax, reads: [...reads] };
      const answer = await hosts.call(kind, call, signal);
      for (const [path, fingerprint] of answer.reads) reads.set(path, fingerprint);
      return answer.result;
    },
  };
}
