/**
 * MCP servers, from section `tools.mcpServers`: an actor each, connected in the background. What
 * is wrong with one costs that one.
 * @module
 */

import type { LoadedConfig } from "../config/load_config.ts";
import type { ActorDefinition } from "../kernel/actor.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { McpServerMessage, McpServerReport } from "../tools/mcp/mcp_protocol.ts";
import { mcpServer, PATIENCE_MS } from "../tools/mcp/mcp_server.ts";
import { placeText } from "../tools/mcp/server_place.ts";
import { serverTools } from "../tools/mcp/server_tools.ts";
import { serverPrefixes } from "../tools/mcp/tool_names.ts";
import { useOffer } from "../tools/mcp/use_offer.ts";
import type { McpListing } from "../tools/mcp/wire.ts";
import type { Tool } from "../tools/tool.ts";
import { type McpConnector, mcpEntries, type McpEntry } from "./mcp_servers.ts";

/** A server that does not answer in time is left out of a report. */
const REPORT_MS = 1_000;

/** A server, in a health report. */
export interface McpHealth {
  readonly state: McpServerReport["state"] | "off";
  readonly detail: string;
  readonly tools: number;
  readonly losses: number;
}

/** The servers of a gateway. */
export interface WiredMcp {
  /** Waits for those that are being connected to, for a while. */
  settled(signal: AbortSignal): Promise<void>;
  /** How all are. */
  report(): Promise<Readonly<Record<string, McpHealth>>>;
}

/** What servers are wired with. */
export interface McpWiringOptions {
  readonly loaded: LoadedConfig;
  /** Outlives the actors. */
  readonly connector: McpConnector;
  readonly spawn: <M>(definition: ActorDefinition<M>) => ActorRef<M>;
  /** Puts tools in place of those that the group had; returns those that are left out. */
  readonly offerTools: (group: string, tools: readonly Tool[]) => readonly string[];
  readonly print: (line: string) => void;
}

/** Starts an actor for each server. */
export function wireMcp(options: McpWiringOptions): WiredMcp {
  const entries = mcpEntries(options.loaded);
  const prefixes = serverPrefixes(entries.map(({ name }) => name));
  const actors = new Map<string, ActorRef<McpServerMessage>>();
  for (const [index, entry] of entries.entries()) {
    options.print(`MCP server ${entry.name}: ${placeText(entry.kind)}`);
    if (entry.kind.type === "off") continue;
    const prefix = prefixes.get(entry.name) ?? "";
    const naming = { prefix, others: [...prefixes.values()] };
    actors.set(entry.name, startServer({ entry, index, naming }, options));
  }
  return {
    async settled(signal) {
      const timeoutMs = PATIENCE_MS + REPORT_MS;
      const asked = [...actors.values()].map((actor) =>
        actor.ask<McpServerReport>((replyTo) => ({ type: "await_offers", replyTo }), {
          ...{ timeoutMs, signal },
        })
      );
      await Promise.allSettled(asked);
      signal.throwIfAborted();
    },
    async report() {
      const reports = entries.map(async ({ name, kind }) => {
        const actor = actors.get(name);
        if (actor === undefined) return [name, offHealth(placeText(kind))] as const;
        return [name, await healthOf(actor)] as const;
      });
      return Object.fromEntries(await Promise.all(reports));
    },
  };
}

interface Started {
  readonly entry: McpEntry;
  /** Tells actors apart whose servers have names that are no good for a path. */
  readonly index: number;
  readonly naming: { readonly prefix: string; readonly others: readonly string[] };
}

function startServer(
  { entry, index, naming }: Started,
  { connector, spawn, offerTools, print }: McpWiringOptions,
): ActorRef<McpServerMessage> {
  const { name: server, config, kind, silenceMs, timeoutMs } = entry;
  const offer = (listing: McpListing | null) => {
    if (listing === null) return { count: 0, notes: offerTools(server, []) };
    const { tools, notes } = serverTools(listing, {
      ...{ server, timeoutMs, ...naming },
      enabledTools: config.enabledTools,
      needs: kind.type === "stdio" ? { run: "shell" } : { net: "public" },
      use: (use, isReadOnly, context) =>
        useOffer({ server, actor, timeoutMs }, { use, isReadOnly }, context),
    });
    const taken = offerTools(server, tools);
    const clash = taken.length === 0 ? [] : [`names that are taken: ${taken.join(", ")}`];
    return { count: tools.length - taken.length, notes: [...notes, ...clash] };
  };
  const actor: ActorRef<McpServerMessage> = spawn(mcpServer({
    ...{ server, silenceMs, offer },
    actorName: `mcp_${index}`,
    connect: connector.connectTo(entry),
    onFirst: ({ state, detail, tools }) =>
      print(
        state === "ready"
          ? `MCP server ${server}: ${tools} tools (${detail})`
          : `MCP server ${server}: not there, tried again later: ${detail}`,
      ),
  }));
  return actor;
}

async function healthOf(actor: ActorRef<McpServerMessage>): Promise<McpHealth> {
  try {
    return await actor.ask<McpServerReport>((replyTo) => ({ type: "report_server", replyTo }), {
      timeoutMs: REPORT_MS,
    });
  } catch {
    return offHealth("gives no answer");
  }
}

function offHealth(detail: string): McpHealth {
  return { state: "off", detail, tools: 0, losses: 0 };
}
