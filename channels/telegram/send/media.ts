/**
 * Files as parts of a delivery: by kind, within Telegram's limits. What cannot be sent is said in
 * words.
 * @module
 */

import { basename, extname } from "node:path";
import { readFile } from "../../media/adapters/files.ts";
import { unreadNote } from "../../media/unsent.ts";
import type { FileBody, FileKind } from "../link.ts";
import type { PartRecord } from "./state.ts";

const MEGABYTE = 1_000_000;
/** Documented as 10 MB for photos and 50 MB for other files; read as decimal to be safe. */
const PHOTO_BYTES_MAX = 10 * MEGABYTE;
export const FILE_BYTES_MAX: number = 50 * MEGABYTE;

/** How files are shown, by extension; all others are documents. */
const KINDS: ReadonlyMap<string, FileKind> = new Map([
  [".jpg", "photo"],
  [".jpeg", "photo"],
  [".png", "photo"],
  [".webp", "photo"],
  [".gif", "animation"],
  [".mp4", "video"],
  [".ogg", "voice"],
  [".oga", "voice"],
  [".opus", "voice"],
  [".mp3", "audio"],
  [".m4a", "audio"],
]);

/** The part that sends the file at `path`. */
export function filePart(path: string): Exclude<PartRecord, { readonly kind: "text" }> {
  return { kind: KINDS.get(extname(path).toLowerCase()) ?? "document", path };
}

/** A file to send, or in words why it cannot be. */
export type ReadPart =
  | { readonly state: "ok"; readonly body: FileBody }
  | { readonly state: "unsendable"; readonly note: string };

/** Reads the file of a part. */
export async function readPart({ kind, path }: ReturnType<typeof filePart>): Promise<ReadPart> {
  const name = basename(path);
  const read = await readFile(path, FILE_BYTES_MAX);
  if (read.state !== "ok") {
    return { state: "unsendable", note: unreadNote(path, read.state, FILE_BYTES_MAX) };
  }
  const { bytes } = read;
  const isLargePhoto = kind === "photo" && bytes.length > PHOTO_BYTES_MAX;
  return { state: "ok", body: { kind: isLargePhoto ? "document" : kind, name, bytes } };
}
