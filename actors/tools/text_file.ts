/**
 * Text files as tools see them: decoded from whatever they are written in, with a fingerprint to
 * notice changes, and written back as they were.
 * @module
 */

import { decodeText, encodeText, type TextEncodingName } from "./text_encoding.ts";
import { type ToolContext, ToolError } from "./tool.ts";

/** Enough to tell versions of one file apart. */
const FINGERPRINT_BYTES = 8;
/** Larger files are not read as a whole. */
export const FILE_BYTES_MAX = 20_000_000;

/** What tools need to read and write files. */
export type FileAccess = Pick<ToolContext, "files" | "reads">;

/** A file that was read. */
export interface ReadFile {
  /** undefined where it is no text. */
  readonly text: string | undefined;
  readonly encoding: TextEncodingName | undefined;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Absolute, without links. */
  readonly resolved: string;
}

/** A short fingerprint of a file's content. */
export async function fingerprint(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return digest.subarray(0, FINGERPRINT_BYTES).toHex();
}

/** Reads the file at `path`; whoever shows it to the model notes that with {@link noteRead}. */
export async function readWhole(path: string, { files }: FileAccess): Promise<ReadFile> {
  const bytes = await files.read(path, FILE_BYTES_MAX);
  const { text, encoding } = decodeText(bytes) ?? { text: undefined, encoding: undefined };
  return { text, encoding, bytes, resolved: await files.resolve(path) };
}

/** Notes that this session knows the content of a file. */
export async function noteRead(
  { resolved, bytes }: Pick<ReadFile, "resolved" | "bytes">,
  { reads }: Pick<FileAccess, "reads">,
): Promise<void> {
  reads.set(resolved, await fingerprint(bytes));
}

/**
 * Writes text, and notes that this session knows it.
 *
 * @throws {ToolError} `file_failed` for what the encoding has no characters for
 */
export async function writeText(
  path: string,
  text: string,
  { files, reads }: FileAccess,
  encoding: TextEncodingName = "utf-8",
): Promise<string> {
  const bytes = encoded(path, text, encoding);
  await files.write(path, bytes);
  const resolved = await files.resolve(path);
  for (const key of reads.keys()) {
    if (key.startsWith(`${resolved}\0`)) reads.set(key, "");
  }
  await noteRead({ resolved, bytes }, { reads });
  return resolved;
}

/** The key under which a session notes that it was shown a page of a file. */
export function pageKey(resolved: string, offset: number, limit: number): string {
  return `${resolved}\0${offset}\0${limit}`;
}

function encoded(
  path: string,
  text: string,
  encoding: TextEncodingName,
): Uint8Array<ArrayBuffer> {
  try {
    return encodeText(text, encoding);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const what = `Cannot write "${path}": it is written in ${encoding}`;
    const how = `${error.message}. Replace the whole file with write_file to make it UTF-8`;
    throw new ToolError("file_failed", `${what}. ${how}`, { cause: error });
  }
}
