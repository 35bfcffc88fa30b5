/**
 * Files of messages, fetched into the media folder.
 * @module
 */

import { createHash } from "node:crypto";
import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { MediaError, type MediaStore } from "../../media/adapters/media_store.ts";
import { type Downloaded, Fetches } from "../../media/fetches.ts";
import { mediaName } from "../../media/media_name.ts";
import { isPassing, WhatsAppRefusedError } from "../errors.ts";
import type { FileSource } from "../link.ts";
import type { MessageFile } from "./parts.ts";

const logger = getLogger(["troupe", "whatsapp", "downloads"]);

const MEGABYTE = 1024 * 1024;
/** WhatsApp takes documents up to 2 GB; nobody needs those here. */
const FILE_BYTES_MAX = 100 * MEGABYTE;
/** Ids are made by senders, and of any length: of theirs a name holds a sum. */
const NAME_CHARS = 22;
const TOO_LARGE = "larger than 100 MB";
/** The server keeps files for some weeks. */
const GONE_CODES: ReadonlySet<number> = new Set([403, 404, 410]);

/** What downloading needs. */
export interface DownloadsOptions {
  readonly files: FileSource;
  readonly store: MediaStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A file of a message, by the message's id for the journal. */
export interface Wanted extends MessageFile {
  readonly platformId: string;
}

/** Downloads files of messages, a few at once. */
export class Downloads {
  readonly #options: DownloadsOptions;
  readonly #fetches: Fetches;

  constructor(options: DownloadsOptions) {
    this.#options = options;
    const { clock, signal } = options;
    this.#fetches = new Fetches({ logger, clock, signal, waitOf, reasonOf });
  }

  /**
   * Fetches a file, or finds it where an earlier attempt left it.
   *
   * @throws only the signal's reason
   */
  async fetch(wanted: Wanted): Promise<Downloaded> {
    const { file, platformId } = wanted;
    if ((file.fileLength ?? 0) > FILE_BYTES_MAX) return { state: "failed", reason: TOO_LARGE };
    return await this.#fetches.fetch(platformId, () => this.#fetchOnce(wanted));
  }

  async #fetchOnce({ platformId, kind, cipher, file }: Wanted): Promise<string> {
    const { files, store, signal } = this.#options;
    const name = mediaName({
      messageId: createHash("sha256").update(platformId).digest("base64url").slice(0, NAME_CHARS),
      index: 0,
      kind,
      key: file.fileSha256 ?? "",
      names: [file.fileName ?? ""],
      contentType: file.mimetype ?? "",
    });
    const body = await files.openFile(file, cipher, signal);
    return await store.save(name, body, { bytesMax: FILE_BYTES_MAX });
  }
}

/** A body that breaks off, or is not what was sent, may come whole the next time. */
function waitOf(error: unknown): number | null {
  return error instanceof MediaError || !isPassing(error) ? null : 0;
}

/** In words for a person and a model. */
function reasonOf(error: unknown): string {
  if (error instanceof MediaError) return TOO_LARGE;
  if (!(error instanceof WhatsAppRefusedError)) return "no connection, or it was damaged";
  const { platformCode } = error;
  return GONE_CODES.has(platformCode) ? "WhatsApp keeps it no longer" : `code ${platformCode}`;
}
