/**
 * The chain that binds the lines of the audit log: each line carries the SHA-256 of the hash before
 * it and its own text, so that nothing in the middle can be changed, added or taken out unseen.
 * @module
 */

import { createHash } from "node:crypto";

/** The hash before the first line. */
export const CHAIN_START: string = "0".repeat(64);

/** A line of the chain, read back. */
export interface ChainedLine {
  /** The JSON without the hash. */
  readonly body: string;
  readonly hash: string;
}

const LINE = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/s;
const FILE_NAME = /^audit-(\d{6,})\.jsonl$/;

/** The hash of a line's body that follows `previous`. */
export function chainHash(previous: string, body: string): string {
  return createHash("sha256").update(previous).update(body).digest("hex");
}

/** The line for a record, and its hash. The record must hold a field, as an object of JSON. */
export function sealLine(
  previous: string,
  record: object,
): ChainedLine & { readonly line: string } {
  const body = JSON.stringify(record);
  const hash = chainHash(previous, body);
  return { body, hash, line: `${body.slice(0, -1)},"hash":"${hash}"}\n` };
}

/** The parts of a line, without its line end; null when it is not of the chain. */
export function openLine(line: string): ChainedLine | null {
  const [, start, hash] = LINE.exec(line) ?? [];
  return start === undefined || hash === undefined ? null : { body: `${start}}`, hash };
}

/** The name of the log's file number `number`, from 1. */
export function auditFileName(number: number): string {
  return `audit-${String(number).padStart(6, "0")}.jsonl`;
}

/** The number of a file of the log; null when it is none. */
export function auditFileNumber(name: string): number | null {
  const digits = FILE_NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}
