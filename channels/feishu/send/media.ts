/**
 * Files as platform messages: uploaded by kind; what cannot be sent is said in words.
 * @module
 */

import { basename, dirname, extname, join } from "node:path";
import { getLogger } from "@logtape/logtape";
import { readFile } from "../../media/adapters/files.ts";
import { unreadNote, unsentNote } from "../../media/unsent.ts";
import type { FeishuApi } from "../api.ts";
import { FeishuRefusedError, isPassing } from "../errors.ts";
import { isOpus, opusDurationMs } from "./duration.ts";
import { type Cover, mp4Cover, mp4DurationMs } from "./mp4.ts";
import type { PartRecord } from "./state.ts";
import { stableUuid } from "./uuid.ts";

const logger = getLogger(["troupe", "feishu", "media"]);

/** Files as parts, and a sentence for each that could not be uploaded. */
export interface UploadedMedia {
  readonly parts: readonly PartRecord[];
  readonly note: string;
}

const MEGABYTE = 1_000_000;
/** The platform's limits, read as decimal megabytes to be on the safe side. */
const IMAGE_BYTES_MAX = 10 * MEGABYTE;
const FILE_BYTES_MAX = 30 * MEGABYTE;

const IMAGE_EXTENSIONS: ReadonlySet<string> = new Set(
  [".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".ico", ".tiff", ".tif"],
);

/** A picture beside a video, of the same name, is its cover where it has none of its own. */
const COVER_EXTENSIONS = [".jpg", ".jpeg", ".png", ".webp"] as const;

/** Upload type by extension; all others are `stream`. */
const FILE_TYPES: ReadonlyMap<string, string> = new Map([
  [".opus", "opus"],
  [".mp4", "mp4"],
  [".pdf", "pdf"],
  [".doc", "doc"],
  [".docx", "doc"],
  [".xls", "xls"],
  [".xlsx", "xls"],
  [".ppt", "ppt"],
  [".pptx", "ppt"],
]);

/** Pictures that stand in a text, by the address there, and a sentence for each that does not. */
export interface UploadedPictures {
  readonly keys: Readonly<Record<string, string>>;
  readonly note: string;
}

/**
 * Uploads the pictures that a text shows.
 *
 * @param files absolute paths by the address in the text
 * @throws what the platform's passing failures are; a picture that is refused becomes a note
 */
export async function uploadPictures(
  api: FeishuApi,
  files: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<UploadedPictures> {
  const keys: Record<string, string> = {};
  const notes: string[] = [];
  for (const [address, path] of files) {
    const fileName = basename(path);
    const read = await readFile(path, IMAGE_BYTES_MAX);
    if (read.state !== "ok") {
      notes.push(unreadNote(path, read.state, IMAGE_BYTES_MAX));
      continue;
    }
    try {
      keys[address] = await api.uploadImage({ fileName, bytes: read.bytes }, signal);
    } catch (error) {
      if (isPassing(error) || !(error instanceof FeishuRefusedError)) throw error;
      notes.push(refusedNote(fileName, error.platformCode));
    }
  }
  return { keys, note: notes.join("\n") };
}

/**
 * Uploads files in order.
 *
 * @param key names the delivery in the parts' uuids
 * @param paths absolute paths
 * @throws what the platform's passing failures are; a file that is refused becomes a note
 */
export async function uploadMedia(
  api: FeishuApi,
  key: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<UploadedMedia> {
  const parts: PartRecord[] = [];
  const notes: string[] = [];
  for (const [index, path] of paths.entries()) {
    const name = basename(path);
    const read = await readFile(path, FILE_BYTES_MAX);
    if (read.state !== "ok") {
      notes.push(unreadNote(path, read.state, FILE_BYTES_MAX));
      continue;
    }
    try {
      const uploaded = await upload(api, path, read.bytes, signal);
      parts.push({
        cover: "",
        ...uploaded,
        source: "",
        name,
        uuid: stableUuid(key, "media", index),
      });
    } catch (error) {
      if (isPassing(error) || !(error instanceof FeishuRefusedError)) throw error;
      notes.push(refusedNote(name, error.platformCode));
    }
  }
  return { parts, note: notes.join("\n") };
}

/** Words about a file which the platform did not take as a message. */
export function refusedNote(name: string, platformCode: number): string {
  return unsentNote(name, `Feishu refused it (${platformCode})`);
}

async function upload(
  api: FeishuApi,
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<Pick<PartRecord, "form" | "body"> & Partial<Pick<PartRecord, "cover">>> {
  const fileName = basename(path);
  const extension = extname(fileName).toLowerCase();
  if (IMAGE_EXTENSIONS.has(extension) && bytes.length <= IMAGE_BYTES_MAX) {
    try {
      return { form: "image", body: await api.uploadImage({ fileName, bytes }, signal) };
    } catch (error) {
      if (isPassing(error) || !(error instanceof FeishuRefusedError)) throw error;
      // No picture to the platform's eyes: people still get it as a file.
    }
  }
  const fileType = fileTypeOf(extension, bytes);
  const durationMs = durationOf(fileType, bytes);
  const cover = fileType === "mp4" ? await uploadCover(api, path, bytes, signal) : "";
  const body = await api.uploadFile({ fileName, bytes, fileType, durationMs }, signal);
  return { form: formOf(fileType), body, cover };
}

/** The key of a video's cover; "" without one, and where the platform does not take it. */
async function uploadCover(
  api: FeishuApi,
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<string> {
  const cover = mp4Cover(bytes) ?? await coverBeside(path);
  if (cover === undefined || cover.bytes.length > IMAGE_BYTES_MAX) return "";
  try {
    return await api.uploadImage(cover, signal);
  } catch (error) {
    if (isPassing(error) || !(error instanceof FeishuRefusedError)) throw error;
    logger.debug("A video goes without its cover: {reason}", { reason: error.message });
    return "";
  }
}

async function coverBeside(path: string): Promise<Cover | undefined> {
  const stem = basename(path, extname(path));
  for (const extension of COVER_EXTENSIONS) {
    const fileName = `${stem}${extension}`;
    const read = await readFile(join(dirname(path), fileName), IMAGE_BYTES_MAX);
    if (read.state === "ok") return { fileName, bytes: read.bytes };
  }
  return undefined;
}

/** Voice notes are Opus in Ogg, whatever their name says. */
function fileTypeOf(extension: string, bytes: Uint8Array): string {
  const isVoice = (extension === ".ogg" || extension === ".oga") && isOpus(bytes);
  return isVoice ? "opus" : FILE_TYPES.get(extension) ?? "stream";
}

function durationOf(fileType: string, bytes: Uint8Array): number | undefined {
  switch (fileType) {
    case "opus":
      return opusDurationMs(bytes);
    case "mp4":
      return mp4DurationMs(bytes);
    default:
      return undefined;
  }
}

function formOf(fileType: string): PartRecord["form"] {
  switch (fileType) {
    case "opus":
      return "audio";
    case "mp4":
      return "media"; // the platform's word for video
    default:
      return "file";
  }
}
