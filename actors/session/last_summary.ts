/**
 * What a session still knows of the part of its conversation that was summed up. It stays with the
 * session, in the field where nanobot keeps it, until the conversation begins anew.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../kernel/json.ts";

const FIELD = "_last_summary";
/** Characters of all rounds together; the oldest lines go first. */
const CHARS_MAX = 8_000;

/** A summary. */
export interface LastSummary {
  readonly text: string;
  /** When the last of what it tells was said, in epoch milliseconds; null when it is not known. */
  readonly untilMs: number | null;
}

const schema = z.object({
  text: z.string().trim().min(1),
  last_active: z.string().optional().catch(undefined),
});

/** The summary in a session's metadata; null without one. */
export function lastSummary(metadata: JsonObject): LastSummary | null {
  const { data } = schema.safeParse(metadata[FIELD]);
  if (data === undefined) return null;
  const untilMs = Date.parse(data.last_active ?? "");
  return { text: data.text, untilMs: Number.isNaN(untilMs) ? null : untilMs };
}

/** The metadata with a further round behind what was summed up before. */
export function withSummary(metadata: JsonObject, { text, untilMs }: LastSummary): JsonObject {
  const before = lastSummary(metadata)?.text ?? "";
  const all = [before, text.trim()].filter((part) => part !== "").join("\n");
  const summary = {
    text: newestLines(all),
    ...(untilMs !== null && { last_active: new Date(untilMs).toISOString() }),
  };
  return { ...metadata, [FIELD]: summary };
}

/** The metadata of a session that knows of no summary. */
export function withoutSummary(metadata: JsonObject): JsonObject {
  const { [FIELD]: _summary, ...rest } = metadata;
  return rest;
}

function newestLines(text: string): string {
  if (text.length <= CHARS_MAX) return text;
  const tail = text.slice(-CHARS_MAX);
  const lineEnd = tail.indexOf("\n");
  return (lineEnd === -1 ? tail : tail.slice(lineEnd + 1)).toWellFormed();
}
