/**
 * The MCP servers of a configuration, and how each is connected to: for the gateway and for the
 * commands about them.
 * @module
 */

import { join } from "node:path";
import type { LoadedConfig } from "../config/load_config.ts";
import { redact } from "../config/redact.ts";
import type { McpServerConfig } from "../config/schema/mcp_server.ts";
import { createToolNet } from "../tools/net/adapters/tool_net.ts";
import type { GuardedHttp } from "../tools/net/guarded_http.ts";
import { Lifeline } from "../tools/shell/adapters/lifeline.ts";
import { stdioEnvironment } from "../tools/mcp/adapters/stdio_command.ts";
import type { ServerPlace } from "../tools/mcp/adapters/connect_server.ts";
import { type ConnectMcp, McpError } from "../tools/mcp/connection.ts";
import { type ServerKind, serverKind } from "../tools/mcp/server_place.ts";
import { signInFile } from "../tools/mcp/sign_in_file.ts";
import { mayRun } from "./adapters/local_rights.ts";
import { derived } from "../kernel/live_view.ts";
import { makeFolder } from "./adapters/local_folders.ts";
import type { World } from "./world.ts";

/** A call that reports progress may take so many times as long as one that is silent. */
const PROGRESS_FACTOR = 10;
const CALL_MS_MAX = 3_600_000;
/** A call may have to wait for a connection first. */
const CONNECT_EXTRA_MS = 70_000;

/** One server. */
export interface McpEntry {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly kind: ServerKind;
  /** Longest silence of a call, and longest call. */
  readonly silenceMs: number;
  readonly timeoutMs: number;
}

/** All servers that the configuration names. */
export function mcpEntries({ config }: LoadedConfig): readonly McpEntry[] {
  return Object.entries(config.tools.mcpServers).map(([name, config]) => {
    const silenceMs = config.toolTimeout * 1_000;
    const longest = Math.min(silenceMs * PROGRESS_FACTOR, CALL_MS_MAX);
    const timeoutMs = Math.max(longest, silenceMs + CONNECT_EXTRA_MS);
    return { name, config, kind: serverKind(config), silenceMs, timeoutMs };
  });
}

/** What connections are made with. */
export interface McpConnectorOptions {
  /** The configuration that holds. */
  readonly loaded: () => LoadedConfig;
  readonly version: string;
  readonly world: Pick<World, "clock" | "newId">;
}

/**
 * Connects to servers. Disposing waits for attempts that were called off, and lets go of the process
 * that watches over the programs of this machine.
 */
export class McpConnector implements AsyncDisposable {
  readonly #options: McpConnectorOptions;
  readonly #http: () => GuardedHttp;
  /** Attempts that are under way: one that is called off still has a process to end. */
  readonly #attempts = new Set<Promise<unknown>>();
  #lifeline: Lifeline | undefined;

  constructor(options: McpConnectorOptions) {
    this.#options = options;
    const { loaded, world: { clock } } = options;
    this.#http = derived(loaded, ({ config: { tools } }) =>
      // The owner named these addresses: `tools.web.proxy` is for what a model asks for.
      createToolNet({
        clock,
        allowedRanges: tools.ssrfWhitelist,
        allowedHosts: tools.allowedHosts,
        proxy: null,
      }));
  }

  /** What reaches servers elsewhere. */
  get http(): GuardedHttp {
    return this.#http();
  }

  /** How a server is connected to. Nothing of the protocol's library is loaded before. */
  connectTo(entry: McpEntry): ConnectMcp {
    const connect = this.#connectTo(entry);
    return async (listener, signal) => {
      const attempt = connect(listener, signal);
      this.#attempts.add(attempt);
      try {
        return await attempt;
      } finally {
        this.#attempts.delete(attempt);
      }
    };
  }

  #connectTo(entry: McpEntry): ConnectMcp {
    const { version, world: { clock }, loaded } = this.#options;
    return async (listener, signal) => {
      const place = await this.#placeOf(entry);
      const { connectServer } = await import("../tools/mcp/adapters/connect_server.ts");
      const { http } = this;
      const lifeline = place.type === "stdio" ? this.#watched() : undefined;
      const options = { place, version, clock, http, lifeline, answerMs: entry.timeoutMs };
      // What a program says as it ends may hold what it was given.
      const clean = (text: string) => redact(text, loaded().secrets.values);
      const ended = (reason: string) => listener.ended(clean(reason));
      try {
        return await connectServer(options, { ...listener, ended }, signal);
      } catch (error) {
        if (!(error instanceof McpError)) throw error;
        throw new McpError(error.code, clean(error.message), { cause: error.cause });
      }
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#attempts);
    await this.#lifeline?.[Symbol.asyncDispose]();
  }

  async #placeOf({ name, config, kind }: McpEntry): Promise<ServerPlace> {
    const { loaded, world: { newId } } = this.#options;
    const { locations } = loaded();
    switch (kind.type) {
      case "off":
        throw new McpError("mcp_unreachable", kind.problem);
      case "stdio":
        return {
          type: "stdio",
          command: {
            program: kind.program,
            args: config.args,
            env: stdioEnvironment(config.env),
            folder: await emptyFolder(locations.stateFolder),
            rights: config.rights,
            variables: Object.keys(config.env),
          },
        };
      default: {
        const server = { type: kind.type, url: kind.url, headers: config.headers };
        return { type: "http", server, signIn: signInFile(locations.stateFolder, name, newId) };
      }
    }
  }

  /** Without the right to a shell a server ends when its input does. */
  #watched(): Lifeline | undefined {
    if (this.#lifeline === undefined && mayRun("sh")) {
      this.#lifeline = new Lifeline(this.#options.world.newId, "sh");
      this.#lifeline.warn();
    }
    return this.#lifeline;
  }
}

/** Where programs start: no place in which the assistant could put something for them to find. */
async function emptyFolder(stateFolder: string): Promise<string> {
  const folder = join(stateFolder, "mcp");
  await makeFolder(folder, { isPrivate: true });
  return folder;
}
