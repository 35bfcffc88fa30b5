/**
 * Files as parts of a delivery: by kind, within QQ's limits. What cannot be sent is said in words.
 * @module
 */

import { basename, extname } from "node:path";
import { readFile } from "../../media/adapters/files.ts";
import { unreadNote, unsentNote } from "../../media/unsent.ts";
import type { FileType, Upload } from "../api.ts";
import type { ChatKind } from "../wire.ts";
import type { PartRecord } from "./state.ts";

/** A part that is a file. */
export type FilePart = Extract<PartRecord, { readonly kind: "file" }>;

/** Documented for pictures; above it QQ makes a file of them. */
const FILE_BYTES_MAX = 20_000_000;

/** How files are shown, by extension; all others are files. */
const TYPES: ReadonlyMap<string, FileType> = new Map([
  [".png", 1],
  [".jpg", 1],
  [".jpeg", 1],
  [".gif", 1],
  [".webp", 1],
  [".bmp", 1],
  [".mp4", 2],
  [".silk", 3],
]);

/** The part that sends the file at `path`. */
export function filePart(path: string): FilePart {
  return { kind: "file", path, type: TYPES.get(extname(path).toLowerCase()) ?? 4 };
}

/** A file to send, or in words why it cannot be. */
export type ReadPart =
  | { readonly state: "ok"; readonly upload: Upload }
  | { readonly state: "unsendable"; readonly note: string };

/** Reads the file of a part. */
export async function readPart({ path, type }: FilePart, kind: ChatKind): Promise<ReadPart> {
  if (kind === "direct") {
    return { state: "unsendable", note: unsentNote(path, "QQ takes no files in chats of guilds") };
  }
  const read = await readFile(path, FILE_BYTES_MAX);
  if (read.state !== "ok") {
    return { state: "unsendable", note: unreadNote(path, read.state, FILE_BYTES_MAX) };
  }
  return { state: "ok", upload: { type, name: basename(path), bytes: read.bytes } };
}
