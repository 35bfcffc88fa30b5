/**
 * What the actor of an MCP server can be told, and what it answers.
 * @module
 */

import type { ReplyTo } from "../../kernel/ref.ts";
import type { McpProgress, McpUse } from "./connection.ts";
import type { McpAnswer } from "./wire.ts";

/** How a server is. */
export interface McpServerReport {
  /**
   * `connecting`: for the first time, or again; `ready`; `waiting`: it failed and is tried again
   * later; `needs_sign_in`: likewise, and a person has to act.
   */
  readonly state: "connecting" | "ready" | "waiting" | "needs_sign_in";
  /** What it is, or why it is not ready. One line. */
  readonly detail: string;
  /** How many tools models see. */
  readonly tools: number;
  /** How often a connection was lost. */
  readonly losses: number;
}

/** Everything a server's actor can be told. */
export type McpServerMessage =
  /** Uses an offer; connects first where that is needed. */
  | {
    readonly type: "use_offer";
    readonly use: McpUse;
    /** The use may be repeated where it is not known whether it happened. */
    readonly isReadOnly: boolean;
    readonly signal: AbortSignal;
    /** Told how far the use has come. @default nobody is */
    readonly onProgress?: ((progress: McpProgress) => void) | undefined;
    readonly replyTo: ReplyTo<McpAnswer>;
  }
  /**
   * Answers as soon as nothing is to be hoped for any more by waiting: the server is ready, has
   * failed, or has taken its time.
   */
  | { readonly type: "await_offers"; readonly replyTo: ReplyTo<McpServerReport> }
  | { readonly type: "report_server"; readonly replyTo: ReplyTo<McpServerReport> };
