/**
 * Names of received files: what a sender calls a file is only a hint, and never a path.
 * @module
 */

/** What a received file is to its platform. */
export type MediaKind = "image" | "file" | "audio" | "video";

/** File systems allow 255 bytes; the id in front and the suffix of a part take some of them. */
const BASE_BYTES_MAX = 120;
const EXTENSION_PATTERN = /\.[A-Za-z0-9]{1,10}$/;

/** Invisible characters, which can turn a name around or hide its ending. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu;
/** Parts of paths, and what shells and other systems stumble over. */
const SPECIAL = /[<>:"/\\|?*`$%&;!'(){}[\]#~^=+,@]/g;

/** Names under which transcription services take sound. */
const SOUND_EXTENSION = /\.(ogg|oga|opus|mp3|m4a|mp4|mpga|wav|webm|flac|amr)$/i;

const IMAGE_EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["image/png", ".png"],
  ["image/jpeg", ".jpg"],
  ["image/gif", ".gif"],
  ["image/webp", ".webp"],
  ["image/bmp", ".bmp"],
  ["image/tiff", ".tiff"],
]);

/** What a name is made from. */
export interface MediaNameOptions {
  readonly messageId: string;
  /** Which file of the message it is, from 0. */
  readonly index: number;
  readonly kind: MediaKind;
  readonly key: string;
  /** The first that is not blank counts. */
  readonly names: readonly string[];
  readonly contentType: string;
}

/** The file's base name: the message's id keeps it apart from all others. */
export function mediaName(options: MediaNameOptions): string {
  const { messageId, index, kind, key, names, contentType } = options;
  const given = names.map(safeBase).find((name) => name !== "");
  const base = given ?? (safeBase(key).slice(0, 16) || kind);
  const id = messageId.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "message";
  const place = index === 0 ? "" : `.${index + 1}`;
  return `${id}${place}-${withExtension(base, kind, contentType)}`;
}

/** The last part of a name, without what could be more than a name; "" when nothing is left. */
export function safeBase(name: string): string {
  const last = name.normalize("NFC").split(/[/\\]/).at(-1) ?? "";
  const clean = last.replace(INVISIBLE, "").replace(SPECIAL, "_").replace(/\s+/g, " ");
  const trimmed = clean.replace(/^[\s.]+|(?<![\s.])[\s.]+$/g, "");
  const extension = EXTENSION_PATTERN.exec(trimmed)?.[0] ?? "";
  const stem = extension === "" ? trimmed : trimmed.slice(0, -extension.length);
  return cutToBytes(stem, BASE_BYTES_MAX - extension.length).trimEnd() + extension;
}

function withExtension(base: string, kind: MediaKind, contentType: string): string {
  switch (kind) {
    case "image":
      if (EXTENSION_PATTERN.test(base)) return base;
      return base + (IMAGE_EXTENSIONS.get(contentType.split(";")[0]?.trim() ?? "") ?? ".jpg");
    case "audio":
      return SOUND_EXTENSION.test(base) ? base : `${base}.ogg`;
    case "video":
      return EXTENSION_PATTERN.test(base) ? base : `${base}.mp4`;
    case "file":
      return base;
  }
}

function cutToBytes(text: string, bytesMax: number): string {
  const encoder = new TextEncoder();
  let cut = "";
  let bytes = 0;
  for (const character of text) {
    bytes += encoder.encode(character).length;
    if (bytes > bytesMax) break;
    cut += character;
  }
  return cut;
}
