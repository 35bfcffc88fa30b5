/**
 * Reads the audit log for its owner, also while a gateway writes it, and checks its chain.
 * @module
 */

import { type AuditRecord, recordOf } from "./audit_record.ts";
import type { AuditFiles } from "./chain_end.ts";
import { auditFileName, auditFileNumber, CHAIN_START, chainHash, openLine } from "./chain.ts";

/** Which records to show; all conditions must hold. */
export interface AuditFilter {
  readonly session?: string | undefined;
  readonly tool?: string | undefined;
  /** Epoch milliseconds. */
  readonly sinceMs?: number | undefined;
  /** The newest so many. */
  readonly limit: number;
}

/** What a check of the chain found. */
export type AuditCheck =
  | {
    readonly state: "sound";
    readonly records: number;
    readonly files: number;
    /** Of the last record: who notes it down sees later whether the end was cut off. */
    readonly hash: string;
  }
  | {
    readonly state: "broken";
    readonly file: string;
    /** From 1; 0 where the whole file is meant. */
    readonly line: number;
    readonly reason: string;
    /** Records before it, which are sound. */
    readonly records: number;
  };

type Reading = Pick<AuditFiles, "list" | "read">;

/** The records that pass the filter, oldest first. */
export async function readAudit(files: Reading, filter: AuditFilter): Promise<AuditRecord[]> {
  const found: AuditRecord[] = [];
  for (const number of (await fileNumbers(files)).toReversed()) {
    const lines = wholeLines(await files.read(auditFileName(number)) ?? "");
    for (const line of lines.toReversed()) {
      const record = recordOf(line);
      if (record === null) continue;
      if (filter.sinceMs !== undefined && Date.parse(record.at) < filter.sinceMs) {
        return found.toReversed();
      }
      if (passes(record, filter)) found.push(record);
      if (found.length >= filter.limit) return found.toReversed();
    }
  }
  return found.toReversed();
}

/**
 * Checks every link of the chain, up to the first that is broken.
 *
 * @param expectedHash must be the hash of some record: one that was noted down before
 */
export async function checkAudit(files: Reading, expectedHash?: string): Promise<AuditCheck> {
  const numbers = await fileNumbers(files);
  let chain: Link = { records: 0, hash: CHAIN_START };
  let isExpectedFound = expectedHash === undefined;
  for (const [index, number] of numbers.entries()) {
    const file = auditFileName(index + 1);
    const { records } = chain;
    if (number !== index + 1) {
      return { state: "broken", file, line: 0, records, reason: "the file is missing" };
    }
    const text = await files.read(file) ?? "";
    for (const [lineIndex, line] of wholeLines(text).entries()) {
      const next = follow(chain, line, lineIndex === 0);
      if (typeof next === "string") {
        const { records } = chain;
        return { state: "broken", file, line: lineIndex + 1, records, reason: next };
      }
      chain = next;
      isExpectedFound ||= chain.hash === expectedHash;
    }
  }
  const { records, hash } = chain;
  if (isExpectedFound) return { state: "sound", records, files: numbers.length, hash };
  const file = auditFileName(Math.max(1, numbers.length));
  const reason = "no record has the expected hash: the end of the log was cut off or written anew";
  return { state: "broken", file, line: 0, records, reason };
}

interface Link {
  readonly records: number;
  readonly hash: string;
}

/** The chain with one more line, or what is wrong with the line. */
function follow({ records, hash }: Link, line: string, isFirst: boolean): Link | string {
  const opened = openLine(line);
  const record = recordOf(line);
  if (opened === null || record === null) return "the line is not a record";
  if (isFirst && record.previous !== hash) return "it does not follow the file before it";
  if (chainHash(hash, opened.body) !== opened.hash) {
    return "the record was changed, or one before it was taken out";
  }
  if (record.n !== records + 1) return `it is record ${record.n} where ${records + 1} belongs`;
  return { records: record.n, hash: opened.hash };
}

function passes(record: AuditRecord, { session, tool }: AuditFilter): boolean {
  return (session === undefined || record.session === session) &&
    (tool === undefined || record.tool === tool);
}

async function fileNumbers(files: Reading): Promise<number[]> {
  const numbers = (await files.list()).map(auditFileNumber).filter((number) => number !== null);
  return numbers.toSorted((a, b) => a - b);
}

/** Without what is being written just now, or was cut off. */
function wholeLines(text: string): string[] {
  return text.split("\n").slice(0, -1);
}
