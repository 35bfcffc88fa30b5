/**
 * Files that go along with a mail. What cannot be sent is said in words.
 * @module
 */

import { basename } from "node:path";
import { type FileRead, readFile } from "../../media/adapters/files.ts";
import type { OutgoingFile } from "../adapters/composer.ts";

/** Most servers take 25 MB; files grow by a third on their way. */
const FILES_BYTES_MAX = 18_000_000;

const WORDS: Readonly<Record<Exclude<FileRead["state"], "ok">, string>> = {
  missing: "there is no such file",
  unreadable: "the channel may not read it",
  empty: "the file is empty",
  too_large: "a mail holds 18 MB of files",
};

/** Files, and words about those that do not go along; "" when all do. */
export interface ReadFiles {
  readonly files: readonly OutgoingFile[];
  readonly note: string;
}

/** Reads files, each once, as many as a mail holds. */
export async function readFiles(paths: Iterable<string>): Promise<ReadFiles> {
  const files: OutgoingFile[] = [];
  const notes: string[] = [];
  let roomBytes = FILES_BYTES_MAX;
  for (const path of new Set(paths)) {
    const name = basename(path);
    const read = await readFile(path, roomBytes);
    if (read.state === "ok") {
      files.push({ name, bytes: read.bytes });
      roomBytes -= read.bytes.length;
    } else notes.push(`(Could not send ${name}: ${WORDS[read.state]})`);
  }
  return { files, note: notes.join("\n") };
}
