/**
 * What a failure of SQLite, or of the file beneath it, means for the journal.
 * @module
 */

import { JournalError, type JournalFailure } from "../journal.ts";

/** A kind of failure and the words for it. */
type Meaning = readonly [code: JournalFailure, state: string];

const FULL: Meaning = ["journal_full", "the disk is full"];
const READ_ONLY: Meaning = ["journal_read_only", "it can only be read"];
const LOCKED: Meaning = ["journal_locked", "another process uses it"];
const DAMAGED: Meaning = ["journal_damaged", "its file is damaged"];

/** By SQLite's primary result code (`SQLITE_BUSY`, …), or the system's name of an error. */
const MEANINGS: ReadonlyMap<unknown, Meaning> = new Map<unknown, Meaning>([
  [5, LOCKED],
  [6, LOCKED],
  [8, READ_ONLY],
  [11, DAMAGED],
  [13, FULL],
  [26, DAMAGED],
  ["EACCES", READ_ONLY],
  ["EPERM", READ_ONLY],
  ["EROFS", READ_ONLY],
  ["ENOSPC", FULL],
  ["EDQUOT", FULL],
]);

/** SQLite's extended result codes hold the primary one in the low byte. */
const PRIMARY_CODE_MASK = 0xff;

/**
 * The failure as a {@link JournalError}; what is none of the storage's (a broken invariant, a
 * wrong binding) stays what it is.
 */
export function asJournalError(error: unknown, path: string): unknown {
  if (error instanceof JournalError || !(error instanceof Error)) return error;
  const errcode = numberIn(error, "errcode");
  const code = "code" in error ? error.code : undefined;
  const meaning = errcode === undefined
    ? MEANINGS.get(code)
    : MEANINGS.get(errcode & PRIMARY_CODE_MASK);
  if (meaning === undefined && errcode === undefined && !isOfStorage(error, code)) return error;
  const [failure, state]: Meaning = meaning ?? ["journal_failed", error.message];
  return new JournalError(failure, `Cannot use journal "${path}": ${state}`, { cause: error });
}

/** A failure of SQLite without a number (it cannot open), of the file system, or of a right. */
function isOfStorage(error: Error, code: unknown): boolean {
  return code === "ERR_SQLITE_ERROR" || error instanceof Deno.errors.NotCapable ||
    typeof code === "string" && /^E[A-Z]+$/.test(code);
}

function numberIn(error: Error, key: "errcode"): number | undefined {
  if (!(key in error)) return undefined;
  const value = error[key];
  return typeof value === "number" ? value : undefined;
}
