/**
 * `audit`: what the assistant did with its tools, and whether the record of it is whole.
 * @module
 */

import { auditPath } from "../../../actors/gateway/rights/open_audit.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { auditFolder } from "../../../actors/tools/audit/adapters/audit_folder.ts";
import { checkAudit, readAudit } from "../../../actors/tools/audit/audit_reader.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { auditText, checkText } from "../audit_text.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";

/** Flags of `audit`. */
export interface AuditFlags extends LoadFlags {
  readonly session?: string | undefined;
  readonly tool?: string | undefined;
  readonly since?: Since | undefined;
  readonly limit: number;
  readonly json?: boolean | undefined;
}

/** Flags of `audit verify`. */
export interface AuditVerifyFlags extends LoadFlags {
  readonly expect?: string | undefined;
  readonly json?: boolean | undefined;
}

/** A point in time, as people name it: so long ago, or then. */
export interface Since {
  readonly agoMs?: number;
  /** Epoch milliseconds. */
  readonly atMs?: number;
}

/** Shows records, oldest first. */
export async function auditCommand(flags: AuditFlags, terminal: Terminal): Promise<number> {
  const { locations } = await loadAndPrepare(flags, terminal, { logs: false });
  const { session, tool, since, limit } = flags;
  const sinceMs = since?.agoMs === undefined
    ? since?.atMs
    : systemWorld().clock.now() - since.agoMs;
  const files = auditFolder(auditPath(locations.stateFolder));
  const records = await readAudit(files, { session, tool, sinceMs, limit });
  if (flags.json === true) {
    for (const record of records) terminal.write(`${JSON.stringify(record)}\n`);
  } else terminal.write(auditText(records, limit));
  return 0;
}

/** Checks the chain; 1 when it is broken. */
export async function auditVerifyCommand(
  flags: AuditVerifyFlags,
  terminal: Terminal,
): Promise<number> {
  const { locations } = await loadAndPrepare(flags, terminal, { logs: false });
  const check = await checkAudit(auditFolder(auditPath(locations.stateFolder)), flags.expect);
  if (flags.json === true) terminal.write(`${JSON.stringify(check, null, 2)}\n`);
  else terminal.write(checkText(check));
  return check.state === "sound" ? 0 : 1;
}
