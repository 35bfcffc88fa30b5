/**
 * Files as parts of a delivery: by kind, within WhatsApp's limits. What cannot be sent is said in
 * words.
 * @module
 */

import { basename, extname } from "node:path";
import { readFile } from "../../media/adapters/files.ts";
import { unreadNote } from "../../media/unsent.ts";
import type { FileBody, FileKind } from "../link.ts";

const MEGABYTE = 1_000_000;
/** WhatsApp takes documents up to 2 GB; they are encrypted in memory here. */
export const FILE_BYTES_MAX: number = 100 * MEGABYTE;
/** Pictures, videos and sound are shown up to 16 MB; larger ones go as documents. */
const SHOWN_BYTES_MAX = 16 * MEGABYTE;
const DOCUMENT_TYPE = "application/octet-stream";

/** How files are shown, by extension; all others are documents. */
const KINDS: ReadonlyMap<string, readonly [FileKind, string]> = new Map([
  [".jpg", ["image", "image/jpeg"]],
  [".jpeg", ["image", "image/jpeg"]],
  [".png", ["image", "image/png"]],
  [".mp4", ["video", "video/mp4"]],
  [".3gp", ["video", "video/3gpp"]],
  [".ogg", ["voice", "audio/ogg; codecs=opus"]],
  [".oga", ["voice", "audio/ogg; codecs=opus"]],
  [".opus", ["voice", "audio/ogg; codecs=opus"]],
  [".mp3", ["audio", "audio/mpeg"]],
  [".m4a", ["audio", "audio/mp4"]],
  [".aac", ["audio", "audio/aac"]],
  [".amr", ["audio", "audio/amr"]],
]);
/** MIME types of documents, so that a phone finds a program for them. */
const DOCUMENT_TYPES: ReadonlyMap<string, string> = new Map([
  [".pdf", "application/pdf"],
  [".txt", "text/plain"],
  [".md", "text/markdown"],
  [".csv", "text/csv"],
  [".html", "text/html"],
  [".json", "application/json"],
  [".zip", "application/zip"],
  [".doc", "application/msword"],
  [".xls", "application/vnd.ms-excel"],
  [".ppt", "application/vnd.ms-powerpoint"],
  [".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  [".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  [".pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  [".epub", "application/epub+zip"],
  [".gif", "image/gif"],
  [".webp", "image/webp"],
  [".svg", "image/svg+xml"],
  [".wav", "audio/wav"],
  [".mov", "video/quicktime"],
  [".webm", "video/webm"],
]);

/** A file to send, or in words why it cannot be. */
export type ReadPart =
  | { readonly state: "ok"; readonly file: FileBody }
  | { readonly state: "unsendable"; readonly note: string };

/** Reads the file at `path`. */
export async function readPart(path: string): Promise<ReadPart> {
  const read = await readFile(path, FILE_BYTES_MAX);
  if (read.state !== "ok") {
    return { state: "unsendable", note: unreadNote(path, read.state, FILE_BYTES_MAX) };
  }
  const { bytes } = read;
  return { state: "ok", file: { ...kindOf(path, bytes.length), name: basename(path), bytes } };
}

/** How a file is shown, and as what. */
export function kindOf(path: string, size: number): Pick<FileBody, "kind" | "mimetype"> {
  const extension = extname(path).toLowerCase();
  const [kind, mimetype] = KINDS.get(extension) ?? [];
  if (kind !== undefined && mimetype !== undefined) {
    return { kind: size > SHOWN_BYTES_MAX ? "document" : kind, mimetype };
  }
  return { kind: "document", mimetype: DOCUMENT_TYPES.get(extension) ?? DOCUMENT_TYPE };
}
