/**
 * File names of sessions. Every key has one name, and no two keys share one.
 * @module
 */

import { createHash } from "node:crypto";

const EXTENSION = ".jsonl";
/** What file systems allow. */
const NAME_BYTES_MAX = 255;
/** Names stay below that, with room for `.corrupt` and `.tmp`. */
const STEM_CHARS_MAX = 200;
const STEM_CHARS_KEPT = 150;
/** Stands between the start of a long key and its digest; no escape looks like it. */
const DIGEST_MARK = "%~";

/**
 * The base name of a session's file: the first `:` becomes `_`, and what is not in
 * `[A-Za-z0-9._-]` is percent-encoded (`_` too, in front of the separator).
 */
export function sessionFileName(key: string): string {
  const separatorAt = key.indexOf(":");
  const channel = separatorAt === -1 ? key : key.slice(0, separatorAt);
  const head = escapeOutside(channel, /[A-Za-z0-9.-]/);
  const stem = separatorAt === -1
    ? head
    : `${head}_${escapeOutside(key.slice(separatorAt + 1), /[A-Za-z0-9._-]/)}`;
  return (stem.length > STEM_CHARS_MAX ? shortened(stem, key) : stem) + EXTENSION;
}

/** The key that a file name stands for; null for names that are no session's, or hold a digest. */
export function sessionKeyOf(fileName: string): string | null {
  if (!fileName.endsWith(EXTENSION)) return null;
  const stem = fileName.slice(0, -EXTENSION.length);
  const separatorAt = stem.indexOf("_");
  const key = separatorAt === -1
    ? unescape(stem)
    : joinKey(unescape(stem.slice(0, separatorAt)), unescape(stem.slice(separatorAt + 1)));
  return key !== null && sessionFileName(key) === fileName ? key : null;
}

/**
 * The name that nanobot gives the file of `key`; several keys may share it. Null where no file can
 * have that name: it is too long, or holds a NUL.
 */
export function legacySessionFileName(key: string): string | null {
  const name = key.replaceAll(/[<>:"/\\|?*]/g, "_").trim() + EXTENSION;
  const isPossible = !name.includes("\0") &&
    new TextEncoder().encode(name).length <= NAME_BYTES_MAX;
  return isPossible ? name : null;
}

/** The key that nanobot takes a file for which does not tell its own. */
export function legacySessionKey(fileName: string): string {
  return fileName.replace(/\.jsonl$/, "").replace("_", ":");
}

function joinKey(channel: string | null, rest: string | null): string | null {
  return channel === null || rest === null ? null : `${channel}:${rest}`;
}

function escapeOutside(text: string, kept: RegExp): string {
  let escaped = "";
  for (const character of text) escaped += kept.test(character) ? character : escape(character);
  return escaped;
}

/** `%XX` for each byte; a lone half of a surrogate pair, which has no bytes, as `%uXXXX`. */
function escape(character: string): string {
  const unit = character.charCodeAt(0);
  if (character.length === 1 && unit >= 0xd800 && unit <= 0xdfff) {
    return `%u${unit.toString(16).toUpperCase()}`;
  }
  let escaped = "";
  for (const byte of new TextEncoder().encode(character)) {
    escaped += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return escaped;
}

function unescape(text: string): string | null {
  try {
    return text.split(/%u([0-9A-F]{4})/).map((part, index) =>
      index % 2 === 0 ? decodeURIComponent(part) : String.fromCharCode(parseInt(part, 16))
    ).join("");
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function shortened(stem: string, key: string): string {
  // UTF-16, not UTF-8: lone surrogates must not all become the same replacement character.
  const digest = createHash("sha256").update(key, "utf16le").digest("hex").slice(0, 32);
  return stem.slice(0, STEM_CHARS_KEPT) + DIGEST_MARK + digest;
}
