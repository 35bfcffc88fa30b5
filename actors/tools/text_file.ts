/**
 * Text files as tools see them: decoded strictly, with a fingerprint to notice changes.
 * @module
 */

import { createHash } from "node:crypto";
import type { ToolContext } from "./tool.ts";

/** Larger files are not read as a whole. */
export const FILE_BYTES_MAX = 20_000_000;

/** The text, or undefined where the bytes are no UTF-8 text. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8_192).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A short fingerprint of a file's content. */
export function fingerprint(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}

/** Reads the text at `path` and notes that this session has seen it. */
export async function readText(
  path: string,
  { files, reads }: Pick<ToolContext, "files" | "reads">,
): Promise<{ readonly text: string | undefined; readonly bytes: Uint8Array }> {
  const bytes = await files.read(path, FILE_BYTES_MAX);
  const text = decodeText(bytes);
  if (text !== undefined) reads.set(await files.resolve(path), fingerprint(bytes));
  return { text, bytes };
}

/** Writes text and notes that this session knows it. */
export async function writeText(
  path: string,
  text: string,
  { files, reads }: Pick<ToolContext, "files" | "reads">,
): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  await files.write(path, bytes);
  const resolved = await files.resolve(path);
  reads.set(resolved, fingerprint(bytes));
  return resolved;
}
