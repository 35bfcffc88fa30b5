/**
 * Tells the audit log how the calls of a turn ended.
 * @module
 */

import type { Inbound } from "../journal/journal.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { CallOutcome } from "../tools/audit/audit_entry.ts";
import type { ToolResult } from "../tools/tool.ts";
import type { SessionServices } from "./ports.ts";

/** A call as the log names it. */
export interface LoggedCall {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
}

/** Whose call it is. */
export interface CallAuditOptions {
  readonly services: Pick<SessionServices, "audit" | "clock">;
  /** The message that began the turn. */
  readonly home: Inbound;
  readonly turnId: string;
}

/** How refusals by a rule or a person begin, whoever words them. */
const REFUSAL = /^Error\b.*\bnot allowed\b/i;

/** Runs calls and records them; it changes nothing about them. */
export class CallAudit {
  readonly #options: CallAuditOptions;

  constructor(options: CallAuditOptions) {
    this.#options = options;
  }

  /** What `run` gives. */
  async around(call: LoggedCall, run: () => Promise<ToolResult>): Promise<ToolResult> {
    const { clock, audit } = this.#options.services;
    if (audit === undefined) return await run();
    const startedAtMs = clock.now();
    let result: ToolResult | undefined;
    try {
      return result = await run();
    } finally {
      this.#record(call, result, clock.now() - startedAtMs);
    }
  }

  #record(call: LoggedCall, result: ToolResult | undefined, durationMs: number): void {
    const { services, home, turnId } = this.#options;
    const text = result === undefined ? "" : textOf(result);
    const outcome = outcomeOf(result, text);
    services.audit?.record({
      kind: "call",
      channel: home.channel,
      sender: home.senderId,
      session: home.sessionKey,
      turn: turnId,
      call: call.id,
      tool: call.tool,
      arguments: call.args,
      outcome,
      detail: outcome === "error" || outcome === "refused" ? text.slice(0, 1_000) : "",
      resultChars: text.length,
      durationMs,
    });
  }
}

function outcomeOf(result: ToolResult | undefined, text: string): CallOutcome {
  if (result === undefined) return "aborted";
  if (!result.isError) return "ok";
  return REFUSAL.test(text) ? "refused" : "error";
}

function textOf({ content }: ToolResult): string {
  if (typeof content === "string") return content;
  return content.map((block) => "text" in block ? block.text : "").join("\n");
}
