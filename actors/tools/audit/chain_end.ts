/**
 * The end of the audit log's chain as the last process left it.
 * @module
 */

import { recordOf } from "./audit_record.ts";
import { auditFileName, auditFileNumber, CHAIN_START, openLine } from "./chain.ts";

/** The folder of the log. */
export interface AuditFiles {
  /** Names of the files in it; none when there is no folder. */
  list(): Promise<readonly string[]>;
  read(name: string): Promise<string | null>;
  /** Appends and syncs, all or nothing. */
  append(name: string, text: string): Promise<void>;
  /** Replaces whole and atomically. */
  replace(name: string, text: string): Promise<void>;
}

/** Where the next line goes. */
export interface ChainEnd {
  readonly file: number;
  readonly fileChars: number;
  /** Number of the last record. */
  readonly n: number;
  readonly hash: string;
}

/** The end, and what the log has to say about how it was found. */
export interface FoundEnd {
  readonly end: ChainEnd;
  readonly notes: readonly string[];
}

/** Finds the end. A line that a crash cut off is taken away; what else is damaged stays as it is. */
export async function findChainEnd(files: AuditFiles): Promise<FoundEnd> {
  const numbers = (await files.list()).map(auditFileNumber).filter((number) => number !== null);
  const newest = Math.max(0, ...numbers);
  const notes: string[] = [];
  for (const file of numbers.toSorted((a, b) => b - a)) {
    const name = auditFileName(file);
    const text = await readWhole(files, name, notes);
    const lines = text.split("\n").slice(0, -1);
    const index = lines.findLastIndex((line) => recordOf(line) !== null);
    const line = lines[index] ?? "";
    const n = recordOf(line)?.n;
    const opened = openLine(line);
    if (n === undefined || opened === null) continue;
    const isSound = file === newest && index === lines.length - 1;
    if (!isSound) notes.push(`${name}: nothing can be read after record ${n}`);
    const place = isSound ? { file, fileChars: text.length } : { file: newest + 1, fileChars: 0 };
    return { end: { ...place, n, hash: opened.hash }, notes };
  }
  return { end: { file: newest + 1, fileChars: 0, n: 0, hash: CHAIN_START }, notes };
}

/** The file's whole lines. */
async function readWhole(files: AuditFiles, name: string, notes: string[]): Promise<string> {
  const text = await files.read(name) ?? "";
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole === text) return text;
  await files.replace(name, whole);
  notes.push(`${name}: a line that was cut off (${text.length - whole.length} characters) is gone`);
  return whole;
}
