/**
 * The port to one MCP server: what it offers, and how its offers are used. The adapters beside it
 * speak the protocol.
 * @module
 */

import { GatewayError, type Recovery } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { McpAnswer, McpListing } from "./wire.ts";

/** Something that a server offers, used once. */
export type McpUse =
  | { readonly type: "tool"; readonly name: string; readonly args: JsonObject }
  | { readonly type: "resource"; readonly uri: string }
  | {
    readonly type: "prompt";
    readonly name: string;
    readonly args: Readonly<Record<string, string>>;
  };

/** How far a use has come, in the server's own measure. */
export interface McpProgress {
  readonly progress: number;
  readonly total: number | null;
  readonly message: string;
}

/** Who waits for the outcome of a use. */
export interface McpWatch {
  /** Its abort tells the server to leave off. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: McpProgress) => void;
}

/** A server that has answered; disposing ends the connection, and the process where there is one. */
export interface McpConnection extends AsyncDisposable {
  /** As the server calls itself, with its version. */
  readonly product: string;
  /** @throws {McpError} or the signal's reason */
  list(signal: AbortSignal): Promise<McpListing>;
  /** @throws {McpError} or the signal's reason */
  use(use: McpUse, watch: McpWatch): Promise<McpAnswer>;
}

/** Told of what happens to a connection. */
export interface McpListener {
  /** It is gone, and why. Not called when it was disposed of. */
  ended(reason: string): void;
  /** The server says that it offers other things now. */
  changed(): void;
}

/**
 * Makes one connection.
 *
 * @throws {McpError} or the signal's reason
 */
export type ConnectMcp = (listener: McpListener, signal: AbortSignal) => Promise<McpConnection>;

/** What went wrong with a server. */
export type McpFailure =
  /** The server refused, or answered what cannot be understood. The connection stands. */
  | "mcp_refused"
  /** The connection was gone before the server could act. */
  | "mcp_unsent"
  /** The connection went while the server may have acted. */
  | "mcp_lost"
  /** No connection came about. */
  | "mcp_unreachable"
  /** The server wants a person to sign in first. */
  | "mcp_sign_in"
  /** It took too long. */
  | "mcp_timed_out";

/** A server did not do what it was asked. Messages are meant for the model, too. */
export class McpError extends GatewayError {
  override readonly name = "McpError";
  readonly code: McpFailure;
  readonly recovery: Recovery;

  constructor(code: McpFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.recovery = code === "mcp_refused" || code === "mcp_sign_in" ? "give_up" : "retry";
  }
}
