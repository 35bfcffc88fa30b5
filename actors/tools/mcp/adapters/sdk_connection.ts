/**
 * A connection over the protocol's own library, on any of its transports.
 * @module
 */

import type { McpConnection, McpListener, McpProgress, McpUse, McpWatch } from "../connection.ts";
import {
  type McpAnswer,
  type McpEntries,
  type McpListing,
  pageOf,
  parseEntries,
  promptAnswer,
  resourceAnswer,
  toolAnswer,
} from "../wire.ts";
import { asMcpError } from "./sdk_errors.ts";
import { Client, type Transport } from "./sdk.ts";

/** The library wants a limit of its own; ours come by the signal. The longest that timers take. */
const NO_LIMIT_MS = 2_147_483_647;
/** Of one list; more would be of no use to a model. */
const PAGES_MAX = 40;
const ENTRIES_MAX = 2_000;
const CHANGES: ReadonlySet<string> = new Set([
  "notifications/tools/list_changed",
  "notifications/resources/list_changed",
  "notifications/prompts/list_changed",
]);

/** A transport, and what its adapter knows of it. */
export interface TransportLink {
  readonly transport: Transport;
  /** Why the connection is gone, as far as the transport can tell; "" otherwise. */
  readonly reason: () => string;
  /** Whether the connection is gone that reports this error. */
  readonly isEnd: (error: Error) => boolean;
  /** Says goodbye, before the transport is closed. */
  readonly leave?: () => Promise<void>;
}

/** What a connection is made with. */
export interface SdkConnectionOptions {
  readonly link: TransportLink;
  readonly version: string;
  readonly listener: McpListener;
  readonly signal: AbortSignal;
}

/**
 * Connects and greets the server.
 *
 * @throws {McpError} or the signal's reason
 */
export async function sdkConnection(
  { link, version, listener, signal }: SdkConnectionOptions,
): Promise<McpConnection> {
  const client = new Client({ name: "troupe", version }, { capabilities: {} });
  const connection = new SdkConnection(client, link, listener);
  try {
    await client.connect(link.transport, { signal, timeout: NO_LIMIT_MS });
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    signal.throwIfAborted();
    throw asMcpError(error, link.reason());
  }
  return connection;
}

class SdkConnection implements McpConnection {
  readonly #client: Client;
  readonly #link: TransportLink;
  #closing: Promise<void> | undefined;

  constructor(client: Client, link: TransportLink, listener: McpListener) {
    this.#client = client;
    this.#link = link;
    const ended = (reason: string) => {
      if (this.#closing === undefined) listener.ended(reason);
    };
    client.onclose = () => ended(link.reason());
    client.onerror = (error) => {
      if (link.isEnd(error)) ended(asMcpError(error, link.reason()).message);
    };
    client.fallbackNotificationHandler = ({ method }) => {
      if (CHANGES.has(method)) listener.changed();
      return Promise.resolve();
    };
  }

  get product(): string {
    const { name = "", version = "" } = this.#client.getServerVersion() ?? {};
    return `${name} ${version}`.trim().slice(0, 100) || "a server without a name";
  }

  async list(signal: AbortSignal): Promise<McpListing> {
    const { tools, resources, prompts } = this.#client.getServerCapabilities() ?? {};
    const [ofTools, ofResources, ofTemplates, ofPrompts] = await Promise.all([
      this.#listOf("tools", "tools/list", tools !== undefined, signal),
      this.#listOf("resources", "resources/list", resources !== undefined, signal),
      this.#listOf(
        ...["resourceTemplates", "resources/templates/list"] as const,
        resources !== undefined,
        signal,
      ),
      this.#listOf("prompts", "prompts/list", prompts !== undefined, signal),
    ]);
    const all = [ofTools, ofResources, ofTemplates, ofPrompts];
    return {
      tools: ofTools.entries,
      resources: ofResources.entries,
      templates: ofTemplates.entries,
      prompts: ofPrompts.entries,
      leftOut: all.reduce((sum, { leftOut }) => sum + leftOut, 0),
    };
  }

  async use(use: McpUse, { signal, onProgress }: McpWatch): Promise<McpAnswer> {
    const options = {
      signal,
      timeout: NO_LIMIT_MS,
      onprogress: (progress: { progress: number; total?: unknown; message?: unknown }) =>
        onProgress(progressOf(progress)),
    };
    try {
      switch (use.type) {
        case "tool": {
          const params = { name: use.name, arguments: { ...use.args } };
          return await this.#client.request({ method: "tools/call", params }, toolAnswer, options);
        }
        case "resource": {
          const asked = { method: "resources/read" as const, params: { uri: use.uri } };
          return await this.#client.request(asked, resourceAnswer, options);
        }
        case "prompt": {
          const params = { name: use.name, arguments: { ...use.args } };
          return await this.#client.request({ method: "prompts/get", params }, promptAnswer, {
            ...options,
          });
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      throw asMcpError(error, this.#link.reason());
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    await this.#link.leave?.();
    await this.#link.transport.close(); // which the client does not, where it never connected
  }

  /** Page by page. Tools are a must; what else cannot be listed is taken as not offered. */
  async #listOf<Key extends keyof McpEntries>(
    kind: Key,
    method: "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list",
    isOffered: boolean,
    signal: AbortSignal,
  ): Promise<ReturnType<typeof parseEntries<Key>>> {
    if (!isOffered) return { entries: [], leftOut: 0 };
    const items: unknown[] = [];
    let cursor: string | undefined;
    try {
      for (let page = 0; page < PAGES_MAX && items.length < ENTRIES_MAX; page++) {
        const params = cursor === undefined ? {} : { cursor };
        const options = { signal, timeout: NO_LIMIT_MS };
        const answer = await this.#client.request({ method, params }, pageOf(kind), options);
        items.push(...answer.items.slice(0, ENTRIES_MAX - items.length));
        if (answer.nextCursor === undefined || answer.nextCursor === cursor) break;
        cursor = answer.nextCursor;
      }
    } catch (error) {
      signal.throwIfAborted();
      const failure = asMcpError(error, this.#link.reason());
      if (kind === "tools" || failure.code !== "mcp_refused") throw failure;
    }
    return parseEntries(kind, items);
  }
}

function progressOf(
  { progress, total, message }: { progress: number; total?: unknown; message?: unknown },
): McpProgress {
  return {
    progress,
    total: typeof total === "number" ? total : null,
    message: typeof message === "string" ? message : "",
  };
}
