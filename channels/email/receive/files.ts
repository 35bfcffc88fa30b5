/**
 * Files of mails, kept in the media folder as far as they are wanted.
 * @module
 */

import { basename } from "node:path";
import { getLogger } from "@logtape/logtape";
import { bracketed } from "../../media/bracketed.ts";
import { MediaError, type MediaStore } from "../../media/adapters/media_store.ts";
import { type MediaKind, mediaName, safeBase } from "../../media/media_name.ts";
import type { Speech } from "../../media/speech.ts";
import type { EmailSection } from "../manifest.ts";
import type { MailFile } from "./mail.ts";

const logger = getLogger(["troupe", "email", "files"]);

/** Files named in a text, whatever becomes of them; more are counted. */
const NAMED_MAX = 30;

/** What keeping files needs. */
export interface FilesOptions
  extends
    Pick<EmailSection, "allowedAttachmentTypes" | "maxAttachmentSize" | "maxAttachmentsPerEmail"> {
  readonly store: MediaStore;
  readonly speech: Speech;
}

/** Files that are there, and words about all. */
export interface KeptFiles {
  readonly lines: readonly string[];
  readonly media: readonly string[];
}

/**
 * Keeps the files of a mail.
 *
 * @param platformId begins their names
 * @throws {MediaError} when the disk does not take them
 */
export async function keepFiles(
  files: readonly MailFile[],
  platformId: string,
  options: FilesOptions,
): Promise<KeptFiles> {
  const lines: string[] = [];
  const media: string[] = [];
  for (const [index, file] of files.slice(0, NAMED_MAX).entries()) {
    const reason = unwantedReason(file, media.length, options);
    if (reason !== null) {
      // Pictures that belong to a signature are nothing to speak of.
      if (!file.isInline) {
        lines.push(bracketed("attachment not taken", `${shown(file)}, ${reason}`));
      }
      continue;
    }
    const path = await keep(file, index, platformId, options.store);
    media.push(path);
    lines.push(
      kindOf(file) === "audio"
        ? await options.speech.textOf(path)
        : bracketed("attachment", basename(path)),
    );
  }
  if (files.length > NAMED_MAX) {
    lines.push(bracketed("attachments not taken", `${files.length - NAMED_MAX} further ones`));
  }
  return { lines, media };
}

/** Why a file is not kept; null when it is. */
function unwantedReason(
  { type, bytes }: MailFile,
  keptSoFar: number,
  { allowedAttachmentTypes, maxAttachmentSize, maxAttachmentsPerEmail }: FilesOptions,
): string | null {
  if (!allowedAttachmentTypes.some((glob) => fits(type, glob))) {
    return `${type} is not among channels.email.allowedAttachmentTypes`;
  }
  if (bytes.length > maxAttachmentSize) {
    return `${bytes.length} bytes, ${maxAttachmentSize} are taken`;
  }
  return keptSoFar >= maxAttachmentsPerEmail ? `${maxAttachmentsPerEmail} a mail are taken` : null;
}

/** Whether a MIME type fits a pattern such as `image/*`. */
function fits(type: string, glob: string): boolean {
  const pattern = glob.split("*").map(RegExp.escape).join(".*");
  return new RegExp(`^${pattern}$`).test(type);
}

async function keep(
  file: MailFile,
  index: number,
  platformId: string,
  store: MediaStore,
): Promise<string> {
  const name = mediaName({
    messageId: platformId.slice(-12),
    index,
    kind: kindOf(file),
    key: file.type.replace("/", "-"),
    names: [file.name],
    contentType: file.type,
  });
  const body = new Blob([new Uint8Array(file.bytes)]).stream();
  try {
    return await store.save(name, body, { bytesMax: file.bytes.length });
  } catch (error) {
    if (error instanceof MediaError) logger.error("{reason}", { reason: error.message });
    throw error;
  }
}

function kindOf({ type }: MailFile): MediaKind {
  const [kind] = type.split("/", 1);
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "file";
}

function shown({ name, type }: MailFile): string {
  return safeBase(name) || type;
}
