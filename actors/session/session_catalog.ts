/**
 * The conversations there are, for a person who looks through them.
 * @module
 */

import { parseSessionFile, type SessionFile } from "./session_file.ts";
import {
  nanobotFileNames,
  nanobotSessionKey,
  sessionFileName,
  sessionKeyOf,
} from "./session_name.ts";

/** A metadata line is shorter. */
const HEAD_BYTES = 16 * 1024;

/** A session's file. */
export interface ShelfFile {
  /** Base name. */
  readonly name: string;
  /** Epoch milliseconds. */
  readonly modifiedAtMs: number;
  readonly bytes: number;
}

/** Where the files stand. */
export interface SessionShelf {
  /** In no order. */
  files(): readonly ShelfFile[];
  /** How a file begins; "" where it is gone. */
  head(name: string, bytesMax: number): string;
  read(name: string): string | null;
}

/** One conversation in a list. */
export interface SessionSummary {
  readonly key: string;
  /** Base name of its file. */
  readonly file: string;
  /** Epoch milliseconds; null where the file does not tell. */
  readonly createdAtMs: number | null;
  /** When its file was last written. */
  readonly updatedAtMs: number;
  readonly bytes: number;
}

/** A part of the list. */
export interface SessionsPage {
  /** The latest first. */
  readonly sessions: readonly SessionSummary[];
  /** Of all there are. */
  readonly total: number;
}

/** A conversation with what was said in it. */
export interface FoundSession {
  readonly key: string;
  readonly file: string;
  readonly content: SessionFile;
  readonly text: string;
}

/**
 * A part of the list. What it costs is a look at each file's date, and a short look into those of
 * the page.
 */
export function listSessions(
  shelf: SessionShelf,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): SessionsPage {
  const files = shelf.files();
  const newest = files.toSorted((a, b) =>
    b.modifiedAtMs - a.modifiedAtMs || (a.name < b.name ? -1 : 1)
  );
  const sessions = newest.slice(offset, offset + limit).map((file) => summaryOf(file, shelf));
  return { sessions, total: files.length };
}

/** The conversation with this key, or of the file with this name; null where there is none. */
export function findSession(shelf: SessionShelf, name: string): FoundSession | null {
  for (const { file, key } of placesOf(name)) {
    const text = shelf.read(file);
    if (text === null) continue;
    const content = parseSessionFile(text);
    const own = keyOf(file, content.metadata?.key ?? null);
    if (key === null || key === own) return { key: own, file, content, text };
  }
  return null;
}

function placesOf(name: string): readonly { file: string; key: string | null }[] {
  const isPlain = /^[\w.%~-]+$/.test(name);
  const asFile = name.endsWith(".jsonl") ? name : `${name}.jsonl`;
  return [
    { file: sessionFileName(name), key: name },
    ...nanobotFileNames(name).map((file) => ({ file, key: name })),
    ...(isPlain ? [{ file: asFile, key: null }] : []),
  ];
}

function summaryOf({ name, modifiedAtMs, bytes }: ShelfFile, shelf: SessionShelf): SessionSummary {
  const [first = ""] = shelf.head(name, HEAD_BYTES).split("\n", 1);
  const { metadata } = parseSessionFile(first);
  return {
    key: keyOf(name, metadata?.key ?? null),
    file: name,
    createdAtMs: metadata?.createdAtMs ?? null,
    updatedAtMs: modifiedAtMs,
    bytes,
  };
}

function keyOf(file: string, told: string | null): string {
  return told ?? sessionKeyOf(file) ?? nanobotSessionKey(file);
}
