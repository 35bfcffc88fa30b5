/**
 * Files as parts of a delivery: by kind, within DingTalk's limits. What cannot be sent is said in
 * words.
 * @module
 */

import { basename, extname } from "node:path";
import { readFile } from "../../media/adapters/files.ts";
import { unreadNote } from "../../media/unsent.ts";
import { zipped } from "../adapters/zip.ts";
import type { RobotContent } from "../api.ts";
import type { Upload, UploadKind } from "../link.ts";
import type { FilePart } from "./state.ts";

const MEGABYTE = 1024 * 1024;
/** Documented for uploads (https://open.dingtalk.com/document/orgapp/upload-media-files). */
export const FILE_BYTES_MAX: number = 20 * MEGABYTE;
const VOICE_BYTES_MAX = 2 * MEGABYTE;

const PICTURES: ReadonlySet<string> = new Set(["jpg", "jpeg", "png", "gif", "bmp"]);
const VOICES: ReadonlySet<string> = new Set(["amr", "mp3", "wav"]);
/** DingTalk takes no pages: they could show what they like in its name. */
const PAGES: ReadonlySet<string> = new Set(["htm", "html"]);

/** The part that sends the file at `path`. */
export function filePart(path: string): FilePart {
  const extension = extensionOf(path);
  if (PAGES.has(extension)) return { kind: "zip", path };
  return { kind: PICTURES.has(extension) ? "image" : "file", path };
}

/** How to send a file that was refused; null when there is no other way. */
export function otherWay({ kind, path }: FilePart): FilePart | null {
  switch (kind) {
    case "image":
      return { kind: "file", path };
    case "file":
      return extensionOf(path) === "zip" ? null : { kind: "zip", path };
    case "zip":
      return null;
  }
}

/** A file to send, or in words why it cannot be. */
export type ReadPart =
  | { readonly state: "ok"; readonly upload: Upload }
  | { readonly state: "unsendable"; readonly note: string };

/** Reads the file of a part. */
export async function readPart({ kind, path }: FilePart): Promise<ReadPart> {
  const read = await readFile(path, FILE_BYTES_MAX);
  if (read.state !== "ok") {
    return { state: "unsendable", note: unreadNote(path, read.state, FILE_BYTES_MAX) };
  }
  const name = basename(path);
  if (kind !== "zip") {
    const upload = { kind: uploadKind(kind, path, read.bytes.length), name, bytes: read.bytes };
    return { state: "ok", upload };
  }
  const bytes = await zipped(name, read.bytes);
  if (bytes.length > FILE_BYTES_MAX) {
    return { state: "unsendable", note: unreadNote(path, "too_large", FILE_BYTES_MAX) };
  }
  const archive = `${basename(path, extname(path))}.zip`;
  return { state: "ok", upload: { kind: "file", name: archive, bytes } };
}

/** The message that shows an uploaded file. */
export function fileMessage(
  { kind }: FilePart,
  { name }: Upload,
  mediaId: string,
): RobotContent {
  if (kind === "image") return { msgKey: "sampleImageMsg", msgParam: { photoURL: mediaId } };
  const extension = extensionOf(name);
  const fileType = extension === "jpeg" ? "jpg" : extension || "bin";
  return { msgKey: "sampleFile", msgParam: { mediaId, fileName: name, fileType } };
}

function uploadKind(kind: "image" | "file", path: string, bytes: number): UploadKind {
  if (kind === "image") return "image";
  const extension = extensionOf(path);
  if (extension === "mp4") return "video";
  return VOICES.has(extension) && bytes <= VOICE_BYTES_MAX ? "voice" : "file";
}

function extensionOf(path: string): string {
  return extname(path).slice(1).toLowerCase();
}
