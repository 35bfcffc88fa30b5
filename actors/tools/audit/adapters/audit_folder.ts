/**
 * The folder of the audit log, for whoever only reads it.
 * @module
 */

import { join } from "node:path";
import type { AuditFiles } from "../chain_end.ts";

/** Reads the files of a folder; there may be none. */
export function auditFolder(folder: string): Pick<AuditFiles, "list" | "read"> {
  return {
    list: async () => {
      try {
        return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return [];
        throw error;
      }
    },
    read: async (name) => {
      try {
        return await Deno.readTextFile(join(folder, name));
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return null;
        throw error;
      }
    },
  };
}
