/**
 * Searching the files of a folder tree, one after the other, within bounds. A file that cannot be
 * read, is too big or no text is counted and left out; it never ends the search.
 * @module
 */

import { basename, dirname, join } from "node:path";
import { type WalkEntry, walkFolder } from "./folder_walk.ts";
import { matchingLines } from "./grep_matches.ts";
import { IgnoreRules } from "./ignore_rules.ts";
import type { LineTest } from "./line_pattern.ts";
import { decodeText } from "./text_encoding.ts";
import { linesOf } from "./text_page.ts";
import { ToolError, type ToolFiles } from "./tool.ts";

/** Larger files are no texts that somebody wrote. */
export const FILE_BYTES_MAX = 2_000_000;
/** All files of one search. */
const SEARCH_BYTES_MAX = 150_000_000;
/** Files with matches, and matches in all, that are kept. */
const FILES_FOUND_MAX = 10_000;
const MATCHES_MAX = 20_000;

/** Where and what to search. */
export interface SearchOptions {
  readonly path: string;
  readonly files: ToolFiles;
  readonly signal: AbortSignal;
  readonly matches: LineTest;
  /** Whether a file is searched; gets its path below `path`. */
  readonly isWanted: (path: string) => boolean;
  readonly heedsIgnoreFiles: boolean;
  /** What is kept of a file; its text is not. `absolute` is its path, `matching` counts from 0. */
  readonly blocksOf: (
    absolute: string,
    lines: readonly string[],
    matching: readonly number[],
  ) => readonly string[];
}

/** A file with matches. */
export interface FileFound extends WalkEntry {
  readonly matchCount: number;
  /** What the answer shows of it. */
  readonly blocks: readonly string[];
}

/** What a search gave. */
export interface SearchOutcome {
  /** Absolute path that the paths of the finds begin at. */
  readonly root: string;
  readonly found: readonly FileFound[];
  /** What was left out, in parentheses. */
  readonly notes: readonly string[];
}

/** Searches. */
export async function search(options: SearchOptions): Promise<SearchOutcome> {
  const { path, files, signal, matches, blocksOf } = options;
  const skipped = { large: 0, binary: 0, unreadable: 0 };
  const found: FileFound[] = [];
  let bytesLeft = SEARCH_BYTES_MAX;
  let matchesLeft = MATCHES_MAX;
  const { root, entries, walkNotes } = await filesOf(options);
  for await (const entry of entries) {
    if (bytesLeft <= 0 || matchesLeft <= 0 || found.length === FILES_FOUND_MAX) break;
    signal.throwIfAborted();
    try {
      const absolute = join(root, entry.path);
      const bytes = await files.read(absolute, FILE_BYTES_MAX);
      bytesLeft -= bytes.length;
      const text = decodeText(bytes)?.text;
      if (text === undefined) skipped.binary++;
      const lines = linesOf(text ?? "");
      const matching = matchingLines(lines, matches);
      if (matching.length === 0) continue;
      matchesLeft -= matching.length;
      const blocks = blocksOf(absolute, lines, matching);
      found.push({ ...entry, matchCount: matching.length, blocks });
    } catch (error) {
      if (error instanceof ToolError && error.code === "file_too_large") skipped.large++;
      else skipped.unreadable++;
    }
  }
  signal.throwIfAborted();
  const notes = [...walkNotes(), ...skippedNotes(skipped)];
  if (bytesLeft <= 0 || matchesLeft <= 0 || found.length === FILES_FOUND_MAX) {
    notes.push(`(The search stopped early: "${path}" holds too much; name a folder or a glob)`);
  }
  return { root, found, notes };
}

interface FilesFound {
  readonly root: string;
  readonly entries: AsyncIterable<WalkEntry>;
  readonly walkNotes: () => readonly string[];
}

/** The files below a folder, or the one file that is named. */
async function filesOf(options: SearchOptions): Promise<FilesFound> {
  const { path, files, signal, isWanted, heedsIgnoreFiles } = options;
  const info = await files.info(path);
  const resolved = await files.resolve(path);
  if (info?.kind === "file") {
    const only: WalkEntry = { path: basename(resolved), kind: "file" };
    return { root: dirname(resolved), entries: justOne(only), walkNotes: () => [] };
  }
  const rules = new IgnoreRules(resolved, files);
  const walk = walkFolder(path, {
    files,
    signal,
    isDeep: true,
    isWanted: ({ path: found, kind }) => !(heedsIgnoreFiles && rules.ignores(found, kind)),
    onFolder: (prefix, entries) => rules.enter(prefix, entries),
  });
  const entries = onlyFiles(walk, isWanted);
  return { root: resolved, entries, walkNotes: () => walk.notes };
}

async function* onlyFiles(
  walk: AsyncIterable<WalkEntry>,
  isWanted: (path: string) => boolean,
): AsyncGenerator<WalkEntry> {
  // Links are never followed: they may lead out, or in a circle.
  for await (const entry of walk) if (entry.kind === "file" && isWanted(entry.path)) yield entry;
}

async function* justOne(entry: WalkEntry): AsyncGenerator<WalkEntry> {
  yield await Promise.resolve(entry);
}

function skippedNotes(
  { large, binary, unreadable }: {
    readonly large: number;
    readonly binary: number;
    readonly unreadable: number;
  },
): string[] {
  return [
    ...large > 0 ? [`(Skipped ${large} files of more than ${FILE_BYTES_MAX} bytes)`] : [],
    ...binary > 0 ? [`(Skipped ${binary} binary files)`] : [],
    ...unreadable > 0 ? [`(Skipped ${unreadable} files that cannot be read)`] : [],
  ];
}
