/**
 * The audit log of a gateway, in its state folder.
 * @module
 */

import { join } from "node:path";
import type { LoadedConfig } from "../../config/load_config.ts";
import type { Clock } from "../../kernel/clock.ts";
import { DiskSessionFiles } from "../../session/adapters/disk_files.ts";
import { auditFolder } from "../../tools/audit/adapters/audit_folder.ts";
import { AuditLog, type AuditLogOptions } from "../../tools/audit/audit_log.ts";

/** Where the log's files are. */
export function auditPath(stateFolder: string): string {
  return join(stateFolder, "audit");
}

/** Opens it; whoever takes it disposes of it after all that it records. */
export function openAudit(
  { locations, secrets }: LoadedConfig,
  { clock, needsOf, secretsNow = () => secrets.values }:
    & { readonly clock: Clock; readonly secretsNow?: () => readonly string[] }
    & Pick<AuditLogOptions, "needsOf">,
): Promise<AuditLog> {
  const folder = auditPath(locations.stateFolder);
  const disk = new DiskSessionFiles(folder);
  return AuditLog.open({
    files: {
      ...auditFolder(folder),
      append: (name, text) => disk.append(name, text),
      replace: (name, text) => disk.replace(name, text),
    },
    clock,
    get secrets() {
      return secretsNow();
    },
    needsOf,
  });
}
