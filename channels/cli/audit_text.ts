/**
 * What `audit` says.
 * @module
 */

import type { AuditCheck } from "../../actors/tools/audit/audit_reader.ts";
import type { AuditRecord } from "../../actors/tools/audit/audit_record.ts";

const ARGUMENT_CHARS_MAX = 120;

/** One line for each record. */
export function auditText(records: readonly AuditRecord[], limit: number): string {
  if (records.length === 0) return "The audit log has no such record\n";
  const more = records.length === limit ? [`(the newest ${limit}; --limit shows more)`] : [];
  return [...more, ...records.map(recordLine)].map((line) => `${line}\n`).join("");
}

/** Whether the log is whole. */
export function checkText(check: AuditCheck): string {
  if (check.state === "sound") {
    const { records, files, hash } = check;
    if (records === 0) return "The audit log is empty\n";
    return `The audit log is whole: ${records} records in ${files} files\n` +
      `Last hash: ${hash}\n` +
      "Keep the hash elsewhere, and later give it to audit verify --expect, to see whether the " +
      "end was cut off\n";
  }
  const { file, line, reason, records } = check;
  const place = line === 0 ? file : `${file}, line ${line}`;
  return `The audit log is broken at ${place}: ${reason}\nThe ${records} records before are whole\n`;
}

function recordLine(record: AuditRecord): string {
  const when = record.at.slice(0, 19).replace("T", " ");
  const { n, kind } = record;
  if (kind === "log") return `${n}  ${when}  log  ${visible(record.text ?? "")}`;
  const { session = "", sender = "", tool = "" } = record;
  const args = visible(JSON.stringify(record.arguments ?? {}));
  const what = `${tool} ${args}`;
  return `${n}  ${when}  ${session} (${sender})  ${what}  ${
    kind === "call" ? end(record) : decision(record)
  }`;
}

function end({ outcome = "", detail = "", resultChars = 0, durationMs = 0 }: AuditRecord): string {
  const why = detail === "" ? "" : `: ${visible(detail)}`;
  return `${outcome}, ${resultChars} characters, ${durationMs} ms${why}`;
}

function decision({ decision = "", by, waitedMs = 0 }: AuditRecord): string {
  const whom = by === null || by === undefined ? "" : ` by ${by}`;
  return decision === "asked" ? "an owner is asked" : `${decision}${whom} after ${waitedMs} ms`;
}

/** On one line, of bounded length, without what commands a terminal. */
function visible(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ");
  return line.length <= ARGUMENT_CHARS_MAX ? line : `${line.slice(0, ARGUMENT_CHARS_MAX)}…`;
}
