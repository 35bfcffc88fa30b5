/**
 * Walking a folder tree in order, within bounds: links are never followed, folders that tools
 * fill are left out, and one folder that cannot be read does not end the walk.
 * @module
 */

import { asError } from "../kernel/errors.ts";
import type { FileEntry, ToolFiles } from "./tool.ts";

/** Entries of one folder that are looked at. */
const FOLDER_ENTRIES_MAX = 20_000;
/** Entries of one walk. */
const WALK_ENTRIES_MAX = 100_000;
const DEPTH_MAX = 64;
/** Folders named to the model that could not be read. */
const NOTES_MAX = 3;

/** Folders that hold what tools make, not what people write. */
const NOISE = new Set(
  (".git node_modules __pycache__ .venv venv dist build .tox .mypy_cache .pytest_cache " +
    ".ruff_cache .coverage htmlcov").split(" "),
);

/** What a walk comes by. */
export interface WalkEntry {
  /** Relative to where the walk began, with `/`. */
  readonly path: string;
  readonly kind: FileEntry["kind"];
}

/** How to walk. */
export interface WalkOptions {
  readonly files: Pick<ToolFiles, "list">;
  readonly signal: AbortSignal;
  /** Everything below, or just the folder itself. */
  readonly isDeep: boolean;
  /** Leaves out what it says no to; folders with all that is in them. @default all is wanted */
  readonly isWanted?: (entry: WalkEntry) => boolean;
  /** Told of each folder before its entries come. */
  readonly onFolder?: (path: string, entries: readonly FileEntry[]) => Promise<void>;
}

/** A walk; what it could not do is known once it is over. */
export interface Walk extends AsyncIterable<WalkEntry> {
  /** Whether a bound was met. */
  readonly isCut: boolean;
  /** What to say about it, in parentheses. */
  readonly notes: readonly string[];
}

/**
 * The entries below `root`, each folder's in order of their names, a folder before what is in it.
 * Iterating throws what listing `root` itself throws, or the signal's reason.
 */
export function walkFolder(root: string, options: WalkOptions): Walk {
  return new FolderWalk(root, options);
}

class FolderWalk implements Walk {
  readonly #root: string;
  readonly #options: WalkOptions;
  readonly #unread: string[] = [];
  #left = WALK_ENTRIES_MAX;
  #isCut = false;

  constructor(root: string, options: WalkOptions) {
    this.#root = root;
    this.#options = options;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  get notes(): readonly string[] {
    const notes = this.#unread.slice(0, NOTES_MAX).map((text) => `(Left out: ${text})`);
    const more = this.#unread.length - NOTES_MAX;
    if (more > 0) notes.push(`(Left out: ${more} more folders that cannot be read)`);
    if (this.#isCut) {
      notes.push("(There is more than can be looked through at once: name a folder)");
    }
    return notes;
  }

  [Symbol.asyncIterator](): AsyncGenerator<WalkEntry> {
    return this.#walk("", 0);
  }

  async *#walk(prefix: string, depth: number): AsyncGenerator<WalkEntry> {
    const { signal, isDeep, isWanted = () => true } = this.#options;
    signal.throwIfAborted();
    for (const { name, kind } of await this.#list(prefix)) {
      if (kind === "directory" && NOISE.has(name)) continue;
      const entry = { path: prefix + name, kind };
      if (!isWanted(entry)) continue;
      if (this.#left-- <= 0) {
        this.#isCut = true;
        return;
      }
      yield entry;
      if (!isDeep || kind !== "directory") continue;
      if (depth < DEPTH_MAX) yield* this.#walk(`${prefix}${name}/`, depth + 1);
      else this.#isCut = true;
    }
  }

  async #list(prefix: string): Promise<readonly FileEntry[]> {
    const { files, onFolder } = this.#options;
    const folder = prefix === "" ? this.#root : `${this.#root}/${prefix.slice(0, -1)}`;
    try {
      const { entries, isCut } = await files.list(folder, FOLDER_ENTRIES_MAX);
      this.#isCut ||= isCut;
      await onFolder?.(prefix, entries);
      return entries.toSorted((a, b) => a.name < b.name ? -1 : 1);
    } catch (error) {
      if (prefix === "") throw error;
      this.#unread.push(asError(error).message);
      return [];
    }
  }
}
