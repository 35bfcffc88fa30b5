/**
 * Finds what is remembered, and keeps the index up to the files while nobody asks.
 * @module
 */

import type { MemoryScopeSetting } from "../../scope.ts";
import { minuteParser } from "../minutes.ts";
import {
  isForeign,
  type Passage,
  passageOf,
  type ReadingRules,
  type RecallSource,
} from "../passages.ts";
import {
  NOTHING_FOUND,
  type RecallAnswer,
  type RecallFilter,
  type RecallHit,
  type RecallKind,
  type RecallQuery,
  type Reminder,
  type TouchedFiles,
  type VisibleSpan,
} from "../protocol.ts";
import { distinct, snippetOf } from "../snippet.ts";
import { holds, normalised, type Term, termsOf } from "../terms.ts";
import { RecallFiles } from "./recall_files.ts";
import { type PassagePlace, RecallIndex, removeIndex } from "./recall_index.ts";
import { RecallReader } from "./recall_reader.ts";
import { allSources, scopeAt, sessionSource, sourcesOfScope } from "./recall_sources.ts";

/** Less text than this is indexed in memory: nothing is written, and it is read again in no time. */
const SMALL_BYTES = 4 * 1024 * 1024;
/** All files are looked at again when somebody asks and the last look is older: people edit them. */
const LOOK_AGAIN_MS = 5 * 60_000;
/** How long a search waits for files that were never looked at. */
const FIRST_READ_MS = 1_000;
/** Slices of changed files that a search waits for; the rest is read behind it. */
const FRESH_SLICES_MAX = 8;
/** Places that are read and ranked for one search; further ones are not found. */
const POOL = 60;
/** A word in no more passages than this, or than 1 in 100, says what a message is about. */
const RARE_COUNT = 10;
const RARE_SHARE = 0.01;
/** The same for a word that is enough by itself. */
const TELLING_COUNT = 3;
const TELLING_SHARE = 0.001;

/**
 * What people said themselves, and what was noted as a fact, is worth more than what we answered,
 * and a whole archive less: it holds many words by chance.
 */
const FACTS_WORTH = 1.4;
const PERSON_WORTH = 1.25;
const RAW_WORTH = 0.5;

/** A file of facts with no more bytes goes into the prompt whole. */
const FACTS_BYTES_SHOWN = 20_000;

/** What a keeper keeps. */
export interface RecallKeeperOptions {
  /** Absolute. */
  readonly workspace: string;
  /** The index, a cache: it may be removed at any time while nobody uses it. */
  readonly indexPath: string;
  readonly setting: MemoryScopeSetting;
  /** IANA name. */
  readonly timezone: string;
}

/** Searches one workspace; dispose of it to close its index. */
export class RecallKeeper implements Disposable {
  readonly #options: RecallKeeperOptions;
  readonly #files: RecallFiles;
  readonly #rules: ReadingRules;
  #index: RecallIndex;
  #reader: RecallReader;
  #isSmall: boolean;
  #bytesSeen = 0;
  /** Files that changed since they were read, or that no search has waited for yet. */
  readonly #touched = new Set<string>();
  #walk: Iterator<void, void, void> | null = null;
  #hasWalked = false;
  #walkedAtMs = -Infinity;

  constructor(options: RecallKeeperOptions) {
    this.#options = options;
    this.#files = new RecallFiles(options.workspace);
    const { setting, timezone } = options;
    this.#rules = { setting, parseMinute: minuteParser(timezone) };
    this.#isSmall = !hasFile(options.indexPath);
    this.#index = this.#open();
    this.#reader = this.#newReader();
    this.#walk = this.#walkAll();
  }

  [Symbol.dispose](): void {
    this.#index[Symbol.dispose]();
  }

  /** Sessions' files changed. */
  touched(paths: TouchedFiles = []): void {
    for (const path of paths) {
      if (sessionSource(path) !== null) this.#touched.add(path);
    }
  }

  /**
   * Does a little of what is to be done for the index.
   *
   * @returns whether there is more
   */
  step(): boolean {
    return this.#healing(() => {
      const [path] = this.#touched;
      if (path !== undefined) {
        this.#freshen(path);
        return true;
      }
      const walk = this.#walk;
      if (walk === null) return false;
      if (walk.next().done === true && this.#walk === walk) {
        this.#walk = null;
        this.#hasWalked = true;
      }
      return this.#walk !== null;
    }) ?? true;
  }

  /** Passages with the words of the query, best first. */
  search(query: RecallQuery, nowMs: number): RecallAnswer {
    this.#readFirst();
    return this.#healing(() => {
      this.#prepare(query, nowMs);
      const terms = termsOf(query.text, { keepsStopWords: true });
      const { offset = 0, limit } = query;
      const found = this.#find(terms, terms, query);
      const hits = found.slice(offset, offset + limit);
      return {
        hits: hits.map(({ hit }) => hit),
        hasMore: found.length > offset + limit,
        isPartial: !this.#hasWalked,
      };
    }) ?? { ...NOTHING_FOUND, isPartial: true };
  }

  /**
   * What a message brings to mind: passages that hold a word of it that is very rare, or a rare one
   * and another. Nothing for a message without rare words, as greetings are.
   */
  remind({ text, scope, visible, limit }: Reminder, nowMs: number): RecallAnswer {
    return this.#healing(() => {
      const terms = termsOf(text, { keepsStopWords: false });
      if (terms.length === 0) return NOTHING_FOUND;
      this.#prepare({ scope }, nowMs, visible);
      const size = this.#index.size(scope);
      const rareMax = Math.max(RARE_COUNT, Math.floor(size * RARE_SHARE));
      const tellingMax = Math.max(TELLING_COUNT, size * TELLING_SHARE);
      const counted = terms
        .map((term) => ({ term, count: this.#index.count(term, scope, rareMax + 1) }))
        .filter(({ count }) => count > 0 && count <= rareMax);
      if (counted.length === 0) return NOTHING_FOUND;
      const telling = counted.filter(({ count }) => count <= tellingMax);
      const isVisible = ({ sessionKey, atMs }: RecallHit) =>
        sessionKey === visible.sessionKey &&
        (visible.sinceMs === null || atMs === null || atMs >= visible.sinceMs);
      const found = this.#find(counted.map(({ term }) => term), terms, { scope })
        .filter(({ hit, held }) =>
          !isVisible(hit) && !this.#isInPrompt(hit) &&
          (held.length > 1 || telling.some(({ term }) => held.includes(term)))
        );
      const hits = found.slice(0, limit).map(({ hit }) => hit);
      return { hits, hasMore: found.length > limit, isPartial: !this.#hasWalked };
    }) ?? NOTHING_FOUND;
  }

  /** A file of facts stands in the prompt, whole where it is small; as it came, it says nothing. */
  #isInPrompt({ kind, path }: RecallHit): boolean {
    return kind === "facts" && (this.#index.file(path)?.size ?? 0) <= FACTS_BYTES_SHOWN;
  }

  /** A first search waits a while for what is to be read, so that a small workspace is complete. */
  #readFirst(): void {
    const untilMs = performance.now() + FIRST_READ_MS;
    while (!this.#hasWalked && performance.now() < untilMs) this.step();
  }

  /** Looks for passages with any of `wanted`, and ranks those higher that hold more of `all`. */
  #find(wanted: readonly Term[], all: readonly Term[], filter: RecallFilter): readonly Found[] {
    if (wanted.length === 0) return [];
    const places = this.#index.search({ ...filter, terms: wanted, limit: POOL });
    const current = new Map<string, boolean>();
    const isCurrent = (path: string) => {
      const known = current.get(path) ?? this.#reader.isCurrent(path);
      current.set(path, known);
      return known;
    };
    const found = places.filter(({ path }) => isCurrent(path))
      .flatMap((place) => this.#read(place, all) ?? [])
      .filter(({ held }) => held.length > 0);
    return distinct(found.toSorted((a, b) => b.score - a.score), ({ hit }) => hit.text);
  }

  #read(place: PassagePlace, terms: readonly Term[]): Found | null {
    const { path, kind, start, bytes, line, sessionKey, score } = place;
    const raw = this.#files.read(path, start, bytes);
    if (raw === null) return null;
    const source: RecallSource = { kind, path, scope: null, sessionKey };
    const passage = passageOf(new TextDecoder().decode(raw), source, this.#rules);
    if (passage === null) return null;
    const text = normalised(passage.text);
    const held = terms.filter((term) => holds(text, term));
    const share = held.length / terms.length;
    const { role, atMs } = passage;
    const hit: RecallHit = {
      ...{ kind, path, line, role, atMs },
      text: snippetOf(passage.text, held),
      sessionKey: passage.sessionKey,
      isForeign: isForeign(passage),
    };
    return { hit, held, score: (score + 1) * (0.5 + 0.5 * share) * worthOf(kind, passage) };
  }

  /**
   * Reads what changed. Of a conversation that is shown the newest part is `visible`, so that its
   * file can be read when the answer is on its way.
   */
  #prepare({ scope }: RecallFilter, nowMs: number, visible?: VisibleSpan): void {
    if (this.#walk === null && nowMs - this.#walkedAtMs > LOOK_AGAIN_MS) {
      this.#walk = this.#walkAll();
    }
    if (this.#walk !== null) this.#walkedAtMs = nowMs;
    let slices = FRESH_SLICES_MAX;
    const sources = scope === null ? [] : sourcesOfScope(scopeAt(scope));
    for (const source of sources) {
      while (slices > 0 && this.#reader.readSlice(source)) slices--;
    }
    const shown = visible?.sinceMs === Infinity ? undefined : visible?.sessionKey;
    for (const path of this.#touched) {
      if (shown !== undefined && this.#index.file(path)?.session_key === shown) continue;
      while (slices > 0 && this.#freshen(path)) slices--;
      if (slices-- <= 0) break;
    }
  }

  /** Reads a slice of a session's file that changed; whether there is more of it. */
  #freshen(path: string): boolean {
    const source = sessionSource(path);
    const hasMore = source !== null && this.#reader.readSlice(source);
    if (!hasMore) this.#touched.delete(path);
    return hasMore;
  }

  *#walkAll(): Generator<void, void, void> {
    const seen = new Set<string>();
    for (const source of allSources(this.#files)) {
      seen.add(source.path);
      if (this.#isSmall) {
        this.#bytesSeen += this.#files.facts(source.path)?.size ?? 0;
        if (this.#bytesSeen > SMALL_BYTES) return this.#grow();
      }
      while (this.#reader.readSlice(source)) yield;
      yield;
    }
    this.#bytesSeen = 0;
    for (const path of this.#index.paths().filter((path) => !seen.has(path))) {
      this.#index.atOnce(() => this.#index.removeFile(path));
      yield;
    }
  }

  /** There is too much for the memory: begins anew on disk. */
  #grow(): void {
    this.#isSmall = false;
    this.#reopen();
  }

  #reopen(): void {
    this.#index[Symbol.dispose]();
    this.#index = this.#open();
    this.#reader = this.#newReader();
    this.#walk = this.#walkAll();
  }

  #open(): RecallIndex {
    const { indexPath, setting } = this.#options;
    return RecallIndex.open(this.#isSmall ? ":memory:" : indexPath, setting);
  }

  #newReader(): RecallReader {
    return new RecallReader({ index: this.#index, files: this.#files, rules: this.#rules });
  }

  /** An index that breaks is made anew; null where it did. */
  #healing<T>(work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      if (!isIndexFault(error)) throw error;
      this.#index[Symbol.dispose]();
      removeIndex(this.#options.indexPath);
      this.#hasWalked = false;
      this.#bytesSeen = 0;
      this.#reopen();
      return null;
    }
  }
}

function worthOf(kind: RecallKind, { role, isRaw = false }: Passage): number {
  if (kind === "facts") return FACTS_WORTH;
  if (isRaw) return RAW_WORTH;
  return role === "user" ? PERSON_WORTH : 1;
}

/** A passage, how well it answers, and which of the terms it holds. */
interface Found {
  readonly hit: RecallHit;
  readonly held: readonly Term[];
  readonly score: number;
}

/** SQLite's codes for a file that cannot be read, is damaged, or is no database. */
const FAULT_CODES: ReadonlySet<number> = new Set([10, 11, 26]);

function isIndexFault(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error)) return false;
  // The lowest byte says what it is, the others how it came to it.
  return typeof error.errcode === "number" && FAULT_CODES.has(error.errcode & 0xff);
}

function hasFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    const isNone = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (isNone) return false;
    throw error;
  }
}
