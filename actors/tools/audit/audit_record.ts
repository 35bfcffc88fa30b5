/**
 * A record of the audit log as it is read back.
 * @module
 */

import { z } from "zod";
import type { JsonValue } from "../../kernel/json.ts";
import { openLine } from "./chain.ts";

/** One record as it stands in the log. */
export interface AuditRecord {
  /** Counts from 1 over all files. */
  readonly n: number;
  /** ISO time. */
  readonly at: string;
  readonly kind: "call" | "approval" | "log";
  /** The last hash of the file before, in the first record of a file. */
  readonly previous?: string | undefined;
  readonly channel?: string | undefined;
  readonly sender?: string | undefined;
  readonly session?: string | undefined;
  readonly turn?: string | undefined;
  readonly call?: string | undefined;
  readonly tool?: string | undefined;
  readonly arguments?: JsonValue | undefined;
  /** What the tool may use: `read workspace`, `run shell`. */
  readonly rights?: readonly string[] | undefined;
  readonly outcome?: string | undefined;
  readonly detail?: string | undefined;
  readonly resultChars?: number | undefined;
  readonly durationMs?: number | undefined;
  readonly decision?: string | undefined;
  readonly by?: string | null | undefined;
  readonly waitedMs?: number | undefined;
  readonly text?: string | undefined;
}

/** Checks a record that is read back. */
const auditRecordSchema: z.ZodType<AuditRecord> = z.object({
  n: z.int().positive(),
  at: z.string(),
  kind: z.enum(["call", "approval", "log"]),
  previous: z.string().optional(),
  channel: z.string().optional(),
  sender: z.string().optional(),
  session: z.string().optional(),
  turn: z.string().optional(),
  call: z.string().optional(),
  tool: z.string().optional(),
  arguments: z.json().optional(),
  rights: z.array(z.string()).optional(),
  outcome: z.string().optional(),
  detail: z.string().optional(),
  resultChars: z.number().optional(),
  durationMs: z.number().optional(),
  decision: z.string().optional(),
  by: z.string().nullable().optional(),
  waitedMs: z.number().optional(),
  text: z.string().optional(),
});

/** The record of a line, without its line end; null when there is none in it. */
export function recordOf(line: string): AuditRecord | null {
  const opened = openLine(line);
  if (opened === null) return null;
  try {
    const parsed = auditRecordSchema.safeParse(JSON.parse(opened.body));
    return parsed.success ? parsed.data : null;
  } catch {
    return null; // not JSON
  }
}
