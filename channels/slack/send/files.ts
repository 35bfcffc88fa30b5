/**
 * Files to show: read from disk and uploaded; what cannot be sent is said in words.
 * @module
 */

import { basename } from "node:path";
import { readFile } from "../../media/adapters/files.ts";
import { unreadNote, unsentNote } from "../../media/unsent.ts";
import type { SlackApi } from "../api.ts";
import { isPassing, SlackRefusedError } from "../errors.ts";
import type { FileRecord } from "./state.ts";

/** Slack takes a gigabyte; what is read into memory at once must be less. */
const FILE_BYTES_MAX = 100 * 1_000_000;

/** Files that are uploaded, and a sentence for each that is not. */
export interface UploadedFiles {
  readonly files: readonly FileRecord[];
  readonly note: string;
}

/**
 * Uploads files in order; nobody sees them yet.
 *
 * @param paths absolute paths
 * @throws what Slack answers for what may pass; a file that is refused becomes a note
 */
export async function uploadFiles(
  api: SlackApi,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<UploadedFiles> {
  const files: FileRecord[] = [];
  const notes: string[] = [];
  for (const path of paths) {
    const name = basename(path);
    const read = await readFile(path, FILE_BYTES_MAX);
    if (read.state !== "ok") {
      notes.push(unreadNote(path, read.state, FILE_BYTES_MAX));
      continue;
    }
    try {
      const id = await api.upload({ name, bytes: read.bytes }, signal);
      files.push({ file_id: id, name, is_shared: false });
    } catch (error) {
      if (isPassing(error) || !(error instanceof SlackRefusedError)) throw error;
      notes.push(refusedNote(name, error));
    }
  }
  return { files, note: notes.join("\n") };
}

/** Words about a file that Slack did not take. */
export function refusedNote(name: string, { reason, neededScope }: SlackRefusedError): string {
  const scope = neededScope === undefined ? "" : `, the app lacks the scope ${neededScope}`;
  return unsentNote(name, `Slack refused it: ${reason}${scope}`);
}
