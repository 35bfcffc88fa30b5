/**
 * What stands in a backup: a tar archive whose first entry says what it is, and whose last one holds
 * the checksums of all others.
 * @module
 */

import { z } from "zod";
import { GatewayError } from "../../../actors/kernel/errors.ts";

/** First entry. */
export const ABOUT_ENTRY = "about.json";
/** Last entry: without it the archive is not whole. */
export const SUMS_ENTRY = "checksums.json";
/** Raised when an older program could misunderstand a newer archive. */
export const BACKUP_VERSION = 1;

/** Folders of an archive, and what they are in a config home. */
export const PARTS = ["config", "state", "workspace", "media"] as const;

/** What a backup says of itself. */
export interface AboutBackup {
  readonly version: number;
  readonly program: string;
  /** ISO. */
  readonly madeAt: string;
  readonly hasSecrets: boolean;
  readonly hasMedia: boolean;
  /** Names of variables that the configuration wants, which no backup holds. */
  readonly variables: readonly string[];
}

/** Checks the first entry. */
export const aboutSchema: z.ZodType<AboutBackup> = z.object({
  version: z.int(),
  program: z.string(),
  madeAt: z.string(),
  hasSecrets: z.boolean(),
  hasMedia: z.boolean(),
  variables: z.array(z.string()),
});

/** SHA-256 of each entry in hexadecimal digits, by its name; of a link, of where it leads. */
export const sumsSchema: z.ZodType<Readonly<Record<string, string>>> = z.record(
  z.string(),
  z.string().regex(/^[0-9a-f]{64}$/),
);

/** Something is wrong with a backup, or it cannot be made or restored. */
export class BackupError extends GatewayError {
  override readonly name = "BackupError";
  readonly code = "backup";
  readonly recovery = "give_up";
}

/**
 * Checks a name in an archive: a path below one of the parts, and nowhere else.
 *
 * @throws {BackupError}
 */
export function checkEntryName(name: string): void {
  const [part = "", ...rest] = name.split("/");
  const isSafe = rest.length > 0 && rest.every((step) => !["", ".", ".."].includes(step)) &&
    PARTS.some((known) => known === part) && !/[\\\0]/.test(name);
  if (!isSafe) {
    throw new BackupError(`Cannot use the backup: it holds "${name}", which no backup does`);
  }
}
