/**
 * The way from a tool call to the actor of its server, and back.
 * @module
 */

import type { ActorRef } from "../../kernel/ref.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import { markUntrusted } from "../untrusted.ts";
import { callResult } from "./call_result.ts";
import { McpError, type McpProgress, type McpUse } from "./connection.ts";
import type { McpServerMessage } from "./mcp_protocol.ts";
import { progressWords } from "./timed_use.ts";
import type { McpAnswer } from "./wire.ts";

/** Who is asked. */
export interface UseOfferOptions {
  readonly server: string;
  readonly actor: ActorRef<McpServerMessage>;
  readonly timeoutMs: number;
}

/** Uses an offer; what the server does not want is a result, in its own words. */
export async function useOffer(
  { server, actor, timeoutMs }: UseOfferOptions,
  { use, isReadOnly }: { readonly use: McpUse; readonly isReadOnly: boolean },
  { signal, report }: Pick<ToolContext, "signal" | "report">,
): Promise<ToolResult> {
  const onProgress = (progress: McpProgress) => report?.(progressWords(progress));
  try {
    const answer = await actor.ask<McpAnswer>(
      (replyTo) => ({ type: "use_offer", use, isReadOnly, signal, onProgress, replyTo }),
      { timeoutMs, signal },
    );
    return callResult(answer, server);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof McpError)) throw error;
    if (error.code === "mcp_timed_out") return failed(error.message);
    const text = markUntrusted(error.message, `MCP server ${server}`);
    return failed(`the call of the MCP server failed\n${text}`);
  }
}

function failed(text: string): ToolResult {
  return { content: `Error: ${text}`, isError: true };
}
