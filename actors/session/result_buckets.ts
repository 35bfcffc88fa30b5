/**
 * Keeps the folder of long tool results small: each conversation has a bucket in it.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { asError } from "../kernel/errors.ts";
import type { ToolFiles } from "../tools/tool.ts";

const logger = getLogger(["troupe", "session", "result_buckets"]);

/** Results of a conversation in which nothing long came up for this long are not read again. */
const AGE_MS_MAX = 7 * 24 * 3_600_000;
const BUCKETS_MAX = 32;
/** In the conversation's own bucket the oldest go beyond either of these. */
const FILES_MAX = 100;
const BYTES_MAX = 200_000_000;
/** Entries looked at; what is left goes the next time. */
const ENTRIES_MAX = 2_000;

/** What cleaning needs. */
export interface CleanOptions {
  /** The folder of all buckets. */
  readonly folder: string;
  /** Name of the bucket that is in use. */
  readonly keep: string;
  readonly nowMs: number;
}

/** Removes buckets that are old, or too many, and old results of the one in use. Never throws: what fails is tried the next time. */
export async function cleanBuckets(
  files: Pick<ToolFiles, "list" | "info" | "remove">,
  { folder, keep, nowMs }: CleanOptions,
): Promise<void> {
  try {
    const { entries } = await files.list(folder, ENTRIES_MAX);
    const others = entries.filter(({ name, kind }) => kind === "directory" && name !== keep);
    const dated = await Promise.all(others.map(async ({ name }) => {
      const path = `${folder}/${name}`;
      return { path, modifiedAtMs: (await files.info(path))?.modifiedAtMs ?? 0 };
    }));
    const newest = dated.toSorted((a, b) => b.modifiedAtMs - a.modifiedAtMs);
    for (const [index, { path, modifiedAtMs }] of newest.entries()) {
      // The one in use is one of those that are kept.
      if (index < BUCKETS_MAX - 1 && nowMs - modifiedAtMs <= AGE_MS_MAX) continue;
      for (const { name } of (await files.list(path, ENTRIES_MAX)).entries) {
        await files.remove(`${path}/${name}`);
      }
      await files.remove(path);
    }
    await cleanOwn(files, `${folder}/${keep}`, nowMs);
  } catch (error) {
    logger.warn("Cannot remove old tool results: {reason}", { reason: asError(error).message });
  }
}

/** The one that was just written stays, whatever its size. */
async function cleanOwn(
  files: Pick<ToolFiles, "list" | "info" | "remove">,
  bucket: string,
  nowMs: number,
): Promise<void> {
  const { entries } = await files.list(bucket, ENTRIES_MAX);
  const dated = await Promise.all(entries.map(async ({ name }) => {
    const path = `${bucket}/${name}`;
    const info = await files.info(path);
    return { path, modifiedAtMs: info?.modifiedAtMs ?? 0, size: info?.size ?? 0 };
  }));
  let bytes = 0;
  const newest = dated.toSorted((a, b) => b.modifiedAtMs - a.modifiedAtMs);
  for (const [index, { path, modifiedAtMs, size }] of newest.entries()) {
    bytes += size;
    const isTooMuch = index >= FILES_MAX || bytes > BYTES_MAX;
    if (index > 0 && (isTooMuch || nowMs - modifiedAtMs > AGE_MS_MAX)) await files.remove(path);
  }
}
