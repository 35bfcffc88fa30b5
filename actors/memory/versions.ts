/**
 * The versions of the memory files: what each one changed, how old lines are, and taking one back.
 * Nothing here writes a file of the workspace.
 * @module
 */

import type { MemoryVersion, VersionShown } from "./protocol.ts";
import type { FoundVersion, VersionStore } from "./ports.ts";
import {
  changesBetween,
  type FileChange,
  lineOrigins,
  mergeTexts,
  summarize,
  unifiedDiff,
} from "./text_merge.ts";

/** Digits of an id that people are shown. */
export const SHORT_ID_CHARS = 8;
/** Fewer digits would hardly ever name one version. */
const ID_START = /^[0-9a-f]{4,40}$/;
/** Versions that are looked through for the ages of lines; older lines count as that old. */
const AGED_VERSIONS_MAX = 300;
const DAY_MS = 86_400_000;
/** Lines of a change that its message tells, and characters of each. */
const TOLD_LINES_MAX = 20;
const TOLD_CHARS_MAX = 120;

/** Files that count rather than remember; a version that is taken back leaves them. */
const COUNTERS = /(?:^|\/)\.dream_cursor$/;

/** How taking a version back would change the files, or why it cannot be done. */
export type Undoing =
  | { readonly state: "changes"; readonly files: readonly FileChange[] }
  | { readonly state: "unchanged" }
  | { readonly state: "conflict"; readonly files: readonly string[] }
  | { readonly state: "unknown" };

/** The versions of one workspace. */
export class Versions {
  readonly #store: VersionStore;
  /** The newest version's texts, once they were read. */
  #newest: ReadonlyMap<string, string> | null = null;
  /** Of the store, when they were. */
  #epoch = 0;

  constructor(store: VersionStore) {
    this.#store = store;
  }

  /**
   * Keeps a state of the files, if it is not the newest version already.
   *
   * @param subject the first line of the message; told what changed
   * @returns the new version's id, or null
   */
  async record(
    files: ReadonlyMap<string, string>,
    subject: (stretches: number) => string,
    atMs: number,
  ): Promise<string | null> {
    const newest = await this.#newestTexts();
    const changes = changesBetween(newest, files);
    if (remembered(changes).length === 0) return null;
    const message = await messageOf(changes, subject);
    const id = await this.#store.commit({ files, message, atMs });
    this.#newest = new Map(files);
    return id;
  }

  /** Whether the newest version has these changes already. */
  async holds(changes: readonly FileChange[]): Promise<boolean> {
    const newest = await this.#newestTexts();
    return changes.length > 0 &&
      changes.every(({ path, after }) => newest.get(path) === (after ?? undefined));
  }

  /** Newest first. */
  list(limit: number): Promise<readonly MemoryVersion[]> {
    return this.#store.log(limit);
  }

  /** @param id null is the newest */
  async show(id: string | null): Promise<VersionShown | null> {
    const found = await this.#find(id ?? (await this.#store.log(1))[0]?.id ?? "");
    if (found === null) return null;
    const { version, parentId } = found;
    const files = await this.#store.files(version.id);
    if (parentId === null) return { version, files: [...files.keys()].sort(), diff: "" };
    const changes = remembered(changesBetween(await this.#store.files(parentId), files));
    return {
      version,
      files: changes.map(({ path }) => path),
      diff: await unifiedDiff(changes),
    };
  }

  /** How `current` changes when a version is taken back; later changes stay. */
  async undo(id: string, current: ReadonlyMap<string, string>): Promise<Undoing> {
    const found = await this.#find(id);
    if (found === null || found.parentId === null) return { state: "unknown" };
    const before = await this.#store.files(found.parentId);
    const after = await this.#store.files(found.version.id);
    const files: FileChange[] = [];
    const conflicts: string[] = [];
    for (const change of remembered(changesBetween(before, after))) {
      const { path } = change;
      const now = current.get(path) ?? null;
      const merged = await mergeTexts(change.after ?? "", now ?? "", change.before ?? "");
      if (merged.state === "conflict") conflicts.push(path);
      else if (merged.text !== (now ?? "")) {
        files.push({ path, before: now, after: merged.text });
      }
    }
    if (conflicts.length > 0) return { state: "conflict", files: conflicts };
    return files.length === 0 ? { state: "unchanged" } : { state: "changes", files };
  }

  /**
   * Whole days since each line of a file was written, as of the newest version; none where that is
   * not `text`.
   */
  async lineAges(path: string, text: string, nowMs: number): Promise<readonly number[]> {
    const log = await this.#store.log(AGED_VERSIONS_MAX);
    const first = log[0];
    if (text === "" || first === undefined) return [];
    let lines = textLines(text);
    const writtenMs: number[] = lines.map(() => first.atMs);
    /** Of each line of `lines`, which of the text's lines it is; null where it is none. */
    let places: (number | null)[] = lines.map((_line, index) => index);
    if ((await this.#store.files(first.id)).get(path) !== text) return [];
    for (const [index, version] of log.entries()) {
      for (const place of places) if (place !== null) writtenMs[place] = version.atMs;
      const parent = log[index + 1];
      if (parent === undefined) break;
      const older = textLines((await this.#store.files(parent.id)).get(path) ?? "");
      const origins = await lineOrigins(older, lines);
      const olderPlaces: (number | null)[] = older.map(() => null);
      for (const [at, origin] of origins.entries()) {
        if (origin !== null) olderPlaces[origin] = places[at] ?? null;
      }
      if (olderPlaces.every((place) => place === null)) break;
      [lines, places] = [older, olderPlaces];
    }
    const today = Math.floor(nowMs / DAY_MS);
    return writtenMs.map((atMs) => Math.max(0, today - Math.floor(atMs / DAY_MS)));
  }

  async #newestTexts(): Promise<ReadonlyMap<string, string>> {
    if (this.#newest !== null && this.#epoch === this.#store.epoch) return this.#newest;
    const [newest] = await this.#store.log(1);
    this.#newest = newest === undefined ? new Map() : await this.#store.files(newest.id);
    this.#epoch = this.#store.epoch;
    return this.#newest;
  }

  async #find(id: string): Promise<FoundVersion | null> {
    const wanted = id.trim().toLowerCase();
    return ID_START.test(wanted) ? await this.#store.find(wanted) : null;
  }
}

/** The lines of a text; its last line end begins no further one. */
export function textLines(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function remembered(changes: readonly FileChange[]): readonly FileChange[] {
  return changes.filter(({ path }) => !COUNTERS.test(path));
}

/** Says what changed by the difference itself, not by what somebody meant to do. */
async function messageOf(
  changes: readonly FileChange[],
  subject: (stretches: number) => string,
): Promise<string> {
  const told = remembered(changes);
  const { stretches, added, removed } = await summarize(told);
  const lines = [...removed.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)];
  const shown = lines.slice(0, TOLD_LINES_MAX).map((line) =>
    line.length > TOLD_CHARS_MAX ? `${line.slice(0, TOLD_CHARS_MAX).toWellFormed()}…` : line
  );
  if (lines.length > shown.length) shown.push(`(${lines.length - shown.length} more lines)`);
  const files = told.map(({ path }) => path).join(", ");
  return [subject(stretches), "", ...(files === "" ? [] : [`In ${files}:`]), ...shown].join("\n");
}
