/**
 * Reads the documents that people send, in a tool host.
 * @module
 */

import type { Clock } from "../kernel/clock.ts";
import type { ReadDocument } from "../session/attached_documents.ts";
import { extractDocumentTool } from "../tools/file_tools.ts";
import { hostedTool } from "../tools/host/hosted_tool.ts";
import type { ToolHosts } from "../tools/host/tool_hosts.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { ToolContext } from "../tools/tool.ts";

/** The gateway reads for itself, not for a chat. */
const ORIGIN = { channel: "system", chatId: "documents", sessionKey: "system:documents" };

/** A reader within the time and memory of the hosts. */
export function documentReader(
  hosts: ToolHosts,
  clock: Clock,
  ports: Pick<ToolContext, "workspace" | "files" | "processes" | "net">,
): ReadDocument {
  const registry = new ToolRegistry(clock, [hostedTool(extractDocumentTool, hosts)]);
  return async (path, charsMax) => {
    const { signal } = new AbortController();
    const args = { path, chars_max: charsMax };
    const send = () => Promise.resolve();
    const origin = { ...ORIGIN, sentFiles: [path] };
    const context = { ...ports, origin, send, signal, reads: new Map() };
    const { content, isError } = await registry.run(extractDocumentTool.name, args, context);
    const text = typeof content === "string" ? content : "";
    return isError
      ? { state: "unreadable", reason: text.replace(/^Error: /, "") }
      : { state: "text", text };
  };
}
