/**
 * File names of sessions. Every key has one name, and no two keys share one.
 * @module
 */

import { Buffer } from "node:buffer";
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
 * The names that nanobot gives the file of `key`: before its version 0.3 one that several keys may
 * share, from then on the key in base64url. Without those that no file can have: too long, or with
 * a NUL.
 */
export function nanobotFileNames(key: string): readonly string[] {
  const names = [
    key.replaceAll(/[<>:"/\\|?*]/g, "_").trim() + EXTENSION,
    Buffer.from(key).toString("base64url") + EXTENSION,
  ];
  const bytesOf = (name: string) => new TextEncoder().encode(name).length;
  return names.filter((name) => !name.includes("\0") && bytesOf(name) <= NAME_BYTES_MAX);
}

/** The key that nanobot takes a file for which does not tell its own. */
export function nanobotSessionKey(fileName: string): string {
  const stem = fileName.replace(/\.jsonl$/, "");
  const decoded = Buffer.from(stem, "base64url").toString();
  const isKey = decoded.includes(":") && Buffer.from(decoded).toString("base64url") === stem;
  return isKey ? decoded : stem.replace("_", ":");
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
