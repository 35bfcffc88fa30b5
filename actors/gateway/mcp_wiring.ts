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
  /**
   * Has the servers of another configuration: those that are gone or changed are left, those that
   * are new or changed are connected to, the others stay as they are. One change at a time.
   */
  change(next: LoadedConfig): Promise<void>;
}

/** What servers are wired with. */
export interface McpWiringOptions {
  readonly loaded: LoadedConfig;
  /** Outlives the actors. */
  readonly connector: McpConnector;
  readonly spawn: <M>(definition: ActorDefinition<M>) => ActorRef<M>;
  /** Stops such an actor and waits for its end. */
  readonly stop: (actor: ActorRef<McpServerMessage>) => Promise<void>;
  /** Puts tools in place of those that the group had; returns those that are left out. */
  readonly offerTools: (group: string, tools: readonly Tool[]) => readonly string[];
  readonly print: (line: string) => void;
}

/** Starts an actor for each server. */
export function wireMcp(options: McpWiringOptions): WiredMcp {
  return new McpServers(options);
}

/** A server as it was started. */
interface Running {
  /** What it stands on: another text is another server. */
  readonly basis: string;
  /** Undefined where the configuration is no good. */
  readonly actor: ActorRef<McpServerMessage> | undefined;
  readonly entry: McpEntry;
}

class McpServers implements WiredMcp {
  readonly #options: McpWiringOptions;
  readonly #running = new Map<string, Running>();
  #prefixes: ReadonlyMap<string, string> = new Map();
  /** Tells actors apart whose servers have names that are no good for a path. */
  #started = 0;

  constructor(options: McpWiringOptions) {
    this.#options = options;
    this.#start(mcpEntries(options.loaded));
  }

  async settled(signal: AbortSignal): Promise<void> {
    const timeoutMs = PATIENCE_MS + REPORT_MS;
    const asked = this.#actors().map((actor) =>
      actor.ask<McpServerReport>((replyTo) => ({ type: "await_offers", replyTo }), {
        ...{ timeoutMs, signal },
      })
    );
    await Promise.allSettled(asked);
    signal.throwIfAborted();
  }

  async report(): Promise<Readonly<Record<string, McpHealth>>> {
    const reports = [...this.#running].map(async ([name, { actor, entry: { kind } }]) => {
      if (actor === undefined) return [name, offHealth(placeText(kind))] as const;
      return [name, await healthOf(actor)] as const;
    });
    return Object.fromEntries(await Promise.all(reports));
  }

  async change(next: LoadedConfig): Promise<void> {
    const entries = mcpEntries(next);
    const prefixes = serverPrefixes(entries.map(({ name }) => name));
    const bases = new Map(entries.map((entry) => [entry.name, basisOf(entry, prefixes)]));
    const left = [...this.#running].filter(([name, { basis }]) => bases.get(name) !== basis);
    await Promise.all(left.map(async ([name, { actor }]) => {
      this.#running.delete(name);
      if (!bases.has(name)) this.#options.print(`MCP server ${name}: no longer configured`);
      if (actor !== undefined) await this.#options.stop(actor);
    }));
    this.#start(entries);
  }

  /** Starts those that do not run. */
  #start(entries: readonly McpEntry[]): void {
    this.#prefixes = serverPrefixes(entries.map(({ name }) => name));
    for (const entry of entries) {
      const { name, kind } = entry;
      if (this.#running.has(name)) continue;
      this.#options.print(`MCP server ${name}: ${placeText(kind)}`);
      const basis = basisOf(entry, this.#prefixes);
      const actor = kind.type === "off" ? undefined : this.#startServer(entry);
      this.#running.set(name, { basis, actor, entry });
    }
  }

  #startServer(entry: McpEntry): ActorRef<McpServerMessage> {
    const { name: server, config, kind, silenceMs, timeoutMs } = entry;
    const { connector, spawn, offerTools, print } = this.#options;
    const offer = (listing: McpListing | null) => {
      if (listing === null) return { count: 0, notes: offerTools(server, []) };
      const { tools, notes } = serverTools(listing, {
        ...{ server, timeoutMs, prefix: this.#prefixes.get(server) ?? "" },
        others: [...this.#prefixes.values()],
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
      actorName: `mcp_${this.#started++}`,
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

  #actors(): readonly ActorRef<McpServerMessage>[] {
    return [...this.#running.values()].flatMap(({ actor }) => actor === undefined ? [] : [actor]);
  }
}

/** A server is another one as soon as any of its settings is, or what its tools are called by. */
function basisOf({ name, config }: McpEntry, prefixes: ReadonlyMap<string, string>): string {
  return JSON.stringify([prefixes.get(name), config]);
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
