/**
 * Records of the gateway's log: which ones are wanted, and how people see them.
 * @module
 */

import { z } from "zod";
import { LEVELS, type LogLevel } from "./log_levels.ts";

/** How levels stand in the file. */
const RANKS: Readonly<Record<string, number>> = {
  TRACE: 0,
  DEBUG: 0,
  INFO: 1,
  WARN: 2,
  ERROR: 3,
  FATAL: 3,
};

const recordSchema = z.object({
  "@timestamp": z.string(),
  level: z.string(),
  message: z.string(),
  logger: z.string(),
});

/** Which records are wanted. */
export interface LogFilter {
  /** The lowest level. @default all */
  readonly level?: LogLevel | undefined;
  /** Epoch milliseconds. @default from the beginning */
  readonly sinceMs?: number | undefined;
}

/** One line of the log. */
export interface LogRecord {
  readonly atMs: number;
  readonly rank: number;
  /** As it stands in the file. */
  readonly line: string;
  /** For people. */
  readonly text: string;
}

/** Reads a line of the log; null for one that is none, such as a half-written one. */
export function parseLogLine(line: string): LogRecord | null {
  const parsed = recordSchema.safeParse(jsonOf(line));
  if (!parsed.success) return null;
  const { "@timestamp": at, level, message, logger } = parsed.data;
  const time = at.slice(0, 19).replace("T", " ");
  const name = logger.replace(/^troupe\./, "");
  const text = `${time} ${level.padEnd(5)} ${name}: ${message}`.replaceAll(/\p{Cc}/gu, " ");
  return { atMs: Date.parse(at), rank: RANKS[level] ?? 1, line, text };
}

/** Whether a record is wanted. */
export function isWanted({ atMs, rank }: LogRecord, { level, sinceMs }: LogFilter): boolean {
  const lowest = level === undefined ? 0 : LEVELS.indexOf(level);
  return rank >= lowest && !(atMs < (sinceMs ?? -Infinity));
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
