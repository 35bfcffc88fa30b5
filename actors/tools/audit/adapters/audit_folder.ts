/**
 * The folder of the audit log, for whoever only reads it.
 * @module
 */

import { join } from "node:path";
import { orNull } from "../../../kernel/adapters/missing.ts";
import type { AuditFiles } from "../chain_end.ts";

/** Reads the files of a folder; there may be none. */
export function auditFolder(folder: string): Pick<AuditFiles, "list" | "read"> {
  return {
    list: async () => {
      const entries = await orNull(Array.fromAsync(Deno.readDir(folder)));
      return (entries ?? []).map(({ name }) => name);
    },
    read: (name) => orNull(Deno.readTextFile(join(folder, name))),
  };
}
