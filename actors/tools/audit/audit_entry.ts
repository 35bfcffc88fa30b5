/**
 * What the audit log tells of: tool calls, the decisions about them, and the log's own fate.
 * @module
 */

import type { JsonObject } from "../../kernel/json.ts";

/** Which call of which conversation; `sender` is whose message the turn works on. */
export interface AuditedCall {
  readonly channel: string;
  readonly sender: string;
  readonly session: string;
  readonly turn: string;
  /** The call's id within its turn. */
  readonly call: string;
  readonly tool: string;
  /** As the model gave them; secrets and what is too long are taken out when they are recorded. */
  readonly arguments: JsonObject;
}

/** How a call ended. refused: a rule or a person did not let it run. */
export type CallOutcome = "ok" | "error" | "refused" | "aborted";

/** A tool call that ended. */
export interface CallEntry extends AuditedCall {
  readonly kind: "call";
  readonly outcome: CallOutcome;
  /** Why it failed; "" where it did not. */
  readonly detail: string;
  /** Characters of the result before it was cut to size. */
  readonly resultChars: number;
  readonly durationMs: number;
}

/** What became of a question to the owner. nobody: there was no one to ask. */
export type Decision = "asked" | "approved" | "denied" | "timed_out" | "void" | "nobody";

/** A step of asking an owner first. */
export interface ApprovalEntry extends AuditedCall {
  readonly kind: "approval";
  readonly decision: Decision;
  /** Who decided, as `channel:sender`; null where nobody did. */
  readonly by: string | null;
  readonly waitedMs: number;
}

/** Something about the log itself. */
export interface LogEntry {
  readonly kind: "log";
  readonly text: string;
}

/** What is handed to the log. */
export type AuditEntry = CallEntry | ApprovalEntry;

/** Where tool calls are recorded. Returns at once; the log writes on its own time. */
export interface AuditPort {
  record(entry: AuditEntry): void;
}
