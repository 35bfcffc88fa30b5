/**
 * Addresses of files that the assistant sends: nobody can guess one, and who has it needs no token,
 * so that a page can show a picture by it.
 * @module
 */

import { extname } from "node:path";
import type { Clock } from "../../../actors/kernel/clock.ts";
import type { KeptFile } from "../chats/entry.ts";
import type { FileOut } from "../wire.ts";

/** Where files are served. */
export const MEDIA_PATH = "/media/";
const GOOD_MS = 24 * 3_600_000;
const LINKS_MAX = 10_000;

/** What a browser may show by itself; nothing of it can run. */
const TYPES: Readonly<Record<string, string>> = {
  ".gif": "image/gif",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".m4a": "audio/mp4",
  ".mp3": "audio/mpeg",
  ".mp4": "video/mp4",
  ".ogg": "audio/ogg",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".wav": "audio/wav",
  ".webm": "video/webm",
  ".webp": "image/webp",
};

/** Another type: it is kept, and not shown. */
export const OTHER_TYPE = "application/octet-stream";

/** The type of a file by its name. */
export function typeOf(name: string): string {
  return TYPES[extname(name).toLowerCase()] ?? OTHER_TYPE;
}

interface Link {
  readonly id: string;
  readonly expiresAtMs: number;
}

/** The addresses that are good. */
export class MediaLinks {
  readonly #clock: Pick<Clock, "now">;
  readonly #newSecret: () => string;
  readonly #byPath = new Map<string, Link>();
  readonly #paths = new Map<string, string>();

  constructor(clock: Pick<Clock, "now">, newSecret: () => string) {
    this.#clock = clock;
    this.#newSecret = newSecret;
  }

  /** A file as a client is told of it. */
  fileOut({ path, name, bytes, shownAs }: KeptFile): FileOut {
    return {
      name,
      type: typeOf(name),
      bytes,
      url: `${MEDIA_PATH}${this.#idOf(path)}/${encodeURIComponent(name)}`,
      ...(shownAs !== null && { shown_as: shownAs }),
    };
  }

  /** The file behind an id; null when it is good for none, or no more. */
  pathOf(id: string): string | null {
    const path = this.#paths.get(id);
    const link = path === undefined ? undefined : this.#byPath.get(path);
    if (path === undefined || link === undefined) return null;
    return link.expiresAtMs > this.#clock.now() ? path : null;
  }

  #idOf(path: string): string {
    const known = this.#byPath.get(path);
    const nowMs = this.#clock.now();
    const isGood = known !== undefined && known.expiresAtMs > nowMs;
    const id = isGood ? known.id : this.#newSecret();
    this.#forget(path, isGood ? undefined : known?.id);
    this.#byPath.set(path, { id, expiresAtMs: nowMs + GOOD_MS });
    this.#paths.set(id, path);
    const [oldest] = this.#byPath.keys();
    if (this.#byPath.size > LINKS_MAX && oldest !== undefined) {
      this.#forget(oldest, this.#byPath.get(oldest)?.id);
    }
    return id;
  }

  #forget(path: string, id: string | undefined): void {
    this.#byPath.delete(path);
    if (id !== undefined) this.#paths.delete(id);
  }
}
