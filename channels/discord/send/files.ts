/**
 * Files as messages; what cannot be sent is said in words.
 * @module
 */

import { basename } from "node:path";
import { readFile } from "../../media/adapters/files.ts";
import { unreadNote, unsentNote } from "../../media/unsent.ts";
import { DiscordRefusedError, isPassing, TOO_LARGE_CODE } from "../errors.ts";
import type { OutgoingFile } from "../link.ts";

/** Most that any server takes; those without boosts say no to more than 10 MB. */
const FILE_BYTES_MAX = 100 * 1024 * 1024;

/** A file that can go out, or words about why it cannot. */
export type FileToSend =
  | { readonly state: "ok"; readonly file: OutgoingFile }
  | { readonly state: "unsent"; readonly note: string };

/** Reads a file. */
export async function fileToSend(path: string): Promise<FileToSend> {
  const read = await readFile(path, FILE_BYTES_MAX);
  if (read.state !== "ok") {
    return { state: "unsent", note: unreadNote(path, read.state, FILE_BYTES_MAX) };
  }
  return { state: "ok", file: { name: basename(path), bytes: read.bytes } };
}

/**
 * Words about a file that the platform did not take.
 *
 * @throws `error`, when it may pass or is about something else than the file
 */
export function noteOfRefusal(path: string, error: unknown): string {
  const isAboutFile = error instanceof DiscordRefusedError && !isPassing(error) &&
    (error.status === 413 || error.status === 400 || error.platformCode === TOO_LARGE_CODE);
  if (!isAboutFile) throw error;
  const isTooLarge = error.status === 413 || error.platformCode === TOO_LARGE_CODE;
  const code = error.platformCode || error.status;
  return unsentNote(
    path,
    isTooLarge ? "it is too large for this place" : `Discord refused it (${code})`,
  );
}
