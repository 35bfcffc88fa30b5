/**
 * The index of what is remembered: a full-text table over places in files. It holds no text that
 * could be read, and nothing that could not be made again from the files.
 * @module
 */

import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { z } from "zod";
import { orNullSync } from "../../../kernel/adapters/missing.ts";
import { invariant } from "../../../kernel/invariant.ts";
import { indexed, type Term } from "../terms.ts";
import { RECALL_KINDS, type RecallFilter, type RecallHit, type RecallKind } from "../protocol.ts";

/** Another one means that the index is made anew. */
const SCHEMA_VERSION = 2;
/** Characters of one passage that can be found: a document attached to a message is cut there. */
const PASSAGE_CHARS_MAX = 20_000;
/** A word in more passages than this is common: it does not say where to look. */
const COMMON_COUNT = 5_000;
/** A scope with more passages than this is large. */
const SCOPE_COUNT_MAX = 20_000;
/** Passages that are ranked for one query, at most. */
const RANKED_MAX = 10_000;

const SCHEMA = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL, offset INTEGER NOT NULL, lines INTEGER NOT NULL,
    tail TEXT NOT NULL, session_key TEXT, turn_id TEXT, turn_scope TEXT
  );
  CREATE TABLE passages (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, scope TEXT NOT NULL, kind INTEGER NOT NULL,
    at_ms INTEGER, start INTEGER NOT NULL, bytes INTEGER NOT NULL, line INTEGER NOT NULL
  );
  CREATE INDEX passages_of_file ON passages (file);
  CREATE VIRTUAL TABLE words USING fts5 (
    text, scope, content = '', contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
  );`;

/** How far a file was read. */
export interface FileState {
  readonly id: number;
  readonly path: string;
  /** At the last look; -1: it is to be looked at again. */
  readonly size: number;
  readonly modified_ms: number;
  /** In bytes: all lines before it were read. */
  readonly offset: number;
  readonly lines: number;
  /** What stands right before `offset`: it tells a file that grew from one that was replaced. */
  readonly tail: string;
  readonly session_key: string | null;
  readonly turn_id: string | null;
  readonly turn_scope: string | null;
}

const fileRow: z.ZodType<FileState> = z.object({
  id: z.int(),
  path: z.string(),
  size: z.number(),
  modified_ms: z.number(),
  offset: z.int(),
  lines: z.int(),
  tail: z.string(),
  session_key: z.string().nullable(),
  turn_id: z.string().nullable(),
  turn_scope: z.string().nullable(),
});

const placeRow = z.object({
  path: z.string(),
  session_key: z.string().nullable(),
  kind: z.int(),
  at_ms: z.number().nullable(),
  start: z.int(),
  bytes: z.int(),
  line: z.int(),
  score: z.number(),
});

const countRow = z.object({ count: z.int() });
const pathRow = z.object({ path: z.string() });
const valueRow = z.object({ value: z.string() });

/** Where a passage stands, and how well it answers; more is better. */
export interface PassagePlace extends Pick<RecallHit, "path" | "kind" | "atMs" | "line"> {
  /** Of the file. */
  readonly sessionKey: string | null;
  /** In bytes of the file. */
  readonly start: number;
  readonly bytes: number;
  readonly score: number;
}

/** A passage to be found from now on. */
export interface NewPassage {
  readonly fileId: number;
  readonly text: string;
  readonly scope: string;
  readonly kind: RecallKind;
  readonly atMs: number | null;
  readonly start: number;
  readonly bytes: number;
  readonly line: number;
}

/** What is looked for in the index. */
export interface IndexQuery extends RecallFilter {
  readonly terms: readonly Term[];
  readonly limit: number;
}

/** One index; dispose of it to close it. */
export class RecallIndex implements Disposable {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Every passage is everybody's: the scope narrows nothing. */
  readonly #isOneScope: boolean;

  /**
   * Opens an index, or makes it anew where it was made otherwise, or is damaged.
   *
   * @param path `:memory:` for one that is never written
   * @param setting whose memory is whose; an index holds for one setting
   */
  static open(path: string, setting: string): RecallIndex {
    try {
      const index = new RecallIndex(path, setting);
      if (index.#isCurrent(setting)) return index;
      index[Symbol.dispose]();
    } catch (error) {
      if (path === ":memory:") throw error;
    }
    removeIndex(path);
    const index = new RecallIndex(path, setting);
    index.#make(setting);
    return index;
  }

  private constructor(path: string, setting: string) {
    this.#isOneScope = setting === "global";
    if (path !== ":memory:") createPrivately(path);
    this.#database = new DatabaseSync(path);
    try {
      this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
      this.#database.exec("PRAGMA journal_size_limit = 8388608;");
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }

  /** Runs `work` as one transaction. */
  atOnce(work: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  /** How far a file was read; undefined when it was not. */
  file(path: string): FileState | undefined {
    const row = this.#sql("SELECT * FROM files WHERE path = ?").get(path);
    return row === undefined ? undefined : fileRow.parse(row);
  }

  /** Paths of all files that were read. */
  paths(): string[] {
    return this.#sql("SELECT path FROM files").all().map((row) => pathRow.parse(row).path);
  }

  /** Begins a file. */
  addFile(path: string, sessionKey: string | null): FileState {
    this.#sql(
      `INSERT INTO files (path, size, modified_ms, offset, lines, tail, session_key)
       VALUES (?, -1, 0, 0, 0, '', ?)`,
    ).run(path, sessionKey);
    const added = this.file(path);
    invariant(added !== undefined, "a row that was added is there");
    return added;
  }

  /** Notes how far a file was read. */
  saveFile(file: FileState): void {
    this.#sql(
      `UPDATE files SET size = ?, modified_ms = ?, offset = ?, lines = ?, tail = ?,
       session_key = ?, turn_id = ?, turn_scope = ? WHERE id = ?`,
    ).run(
      file.size,
      file.modified_ms,
      file.offset,
      file.lines,
      file.tail,
      file.session_key,
      file.turn_id,
      file.turn_scope,
      file.id,
    );
  }

  /** Forgets a file and all that was found in it. */
  removeFile(path: string): void {
    const file = this.file(path);
    if (file === undefined) return;
    this.#sql("DELETE FROM words WHERE rowid IN (SELECT id FROM passages WHERE file = ?)")
      .run(file.id);
    this.#sql("DELETE FROM passages WHERE file = ?").run(file.id);
    this.#sql("DELETE FROM files WHERE id = ?").run(file.id);
  }

  /** Lets a passage be found. */
  add({ fileId, text, scope, kind, atMs, start, bytes, line }: NewPassage): void {
    const { lastInsertRowid } = this.#sql(
      `INSERT INTO passages (file, scope, kind, at_ms, start, bytes, line)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ).run(fileId, scope, RECALL_KINDS.indexOf(kind), atMs, start, bytes, line);
    this.#sql("INSERT INTO words (rowid, text, scope) VALUES (?, ?, ?)").run(
      lastInsertRowid,
      indexed(text.slice(0, PASSAGE_CHARS_MAX)),
      this.#isOneScope ? "" : scopeToken(scope),
    );
  }

  /** How many passages a scope has, roughly; counts no further than some thousands of many. */
  size(scope: string): number {
    if (this.#isOneScope) {
      return this.#count("SELECT coalesce(max(id), 0) AS count FROM passages", []);
    }
    return this.#count(
      "SELECT count(*) AS count FROM (SELECT rowid FROM words WHERE words MATCH ? LIMIT ?)",
      [`scope : "${scopeToken(scope)}"`, SCOPE_COUNT_MAX],
    );
  }

  /** In how many passages of a scope a term stands; counts no further than `countMax`. */
  count(term: Term, scope: string | null, countMax: number = COMMON_COUNT + 1): number {
    return this.#count(
      "SELECT count(*) AS count FROM (SELECT rowid FROM words WHERE words MATCH ? LIMIT ?)",
      [this.#match([term], scope), countMax],
    );
  }

  /**
   * Passages with any of the terms, best first: by BM25, of rare words only. Where all of the words
   * are common, those with all of them, newest first.
   */
  search({ terms, ...query }: IndexQuery): readonly PassagePlace[] {
    const counted = terms.map((term) => ({ term, count: this.count(term, query.scope) }))
      .filter(({ count }) => count > 0).toSorted((a, b) => a.count - b.count);
    const rare: Term[] = [];
    let ranked = 0;
    for (const { term, count } of counted) {
      ranked += count;
      if (count > COMMON_COUNT || ranked > RANKED_MAX) break;
      rare.push(term);
    }
    if (rare.length > 0) return this.#ranked(this.#match(rare, query.scope), query);
    if (counted.length === 0) return [];
    return this.#newest(this.#match(counted.map(({ term }) => term), query.scope, "AND"), query);
  }

  #ranked(match: string, query: Omit<IndexQuery, "terms">): readonly PassagePlace[] {
    return this.#places("-bm25(words, 1.0, 0.0)", "score DESC, passages.id DESC", match, query);
  }

  #newest(match: string, query: Omit<IndexQuery, "terms">): readonly PassagePlace[] {
    return this.#places("0.0", "words.rowid DESC", match, query);
  }

  #places(
    score: string,
    order: string,
    match: string,
    { scope, kinds = RECALL_KINDS, sinceMs, untilMs, limit }: Omit<IndexQuery, "terms">,
  ): readonly PassagePlace[] {
    const wanted = kinds.map((kind) => RECALL_KINDS.indexOf(kind)).join(", ");
    const values: (string | number)[] = [match];
    let where = `words MATCH ? AND passages.kind IN (${wanted})`;
    const narrow = (condition: string, value: string | number | null | undefined) => {
      if (value === null || value === undefined) return;
      where += ` AND ${condition}`;
      values.push(value);
    };
    narrow("passages.scope = ?", scope);
    narrow("passages.at_ms >= ?", sinceMs);
    narrow("passages.at_ms <= ?", untilMs);
    const rows = this.#sql(
      `SELECT files.path, files.session_key, kind, at_ms, start, bytes, line, ${score} AS score
       FROM words JOIN passages ON passages.id = words.rowid JOIN files ON files.id = passages.file
       WHERE ${where} ORDER BY ${order} LIMIT ?`,
    ).all(...values, limit);
    return rows.map((row) => {
      const { session_key: sessionKey, at_ms: atMs, kind, ...place } = placeRow.parse(row);
      return { ...place, sessionKey, atMs, kind: RECALL_KINDS[kind] ?? "session" };
    });
  }

  /** Every scope has a word of its own, that stands in no text's column. */
  #match(terms: readonly Term[], scope: string | null, joint: "OR" | "AND" = "OR"): string {
    const words = `text : (${terms.map(({ phrase }) => phrase).join(` ${joint} `)})`;
    if (scope === null || this.#isOneScope) return words;
    return `${words} AND scope : "${scopeToken(scope)}"`;
  }

  #count(sql: string, values: readonly (string | number)[]): number {
    return countRow.parse(this.#sql(sql).get(...values)).count;
  }

  #sql(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }

  #isCurrent(setting: string): boolean {
    const tables = this.#count("SELECT count(*) AS count FROM sqlite_master", []);
    if (tables === 0) return false;
    const row = this.#sql("SELECT value FROM meta WHERE key = 'made_as'").get();
    return valueRow.safeParse(row).data?.value === madeAs(setting);
  }

  #make(setting: string): void {
    this.atOnce(() => {
      this.#database.exec(SCHEMA);
      this.#sql("INSERT INTO meta (key, value) VALUES ('made_as', ?)").run(madeAs(setting));
    });
  }
}

/** Removes an index with what belongs to it; nothing happens where there is none. */
export function removeIndex(path: string): void {
  if (path === ":memory:") return;
  for (const end of ["", "-wal", "-shm"]) orNullSync(() => Deno.removeSync(path + end));
}

/** What people say is for its owner only. */
function createPrivately(path: string): void {
  Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  Deno.openSync(path, { write: true, create: true, mode: 0o600 }).close();
}

function madeAs(setting: string): string {
  return `${SCHEMA_VERSION} ${setting}`;
}

/** The key as one token: its bytes in hex. */
function scopeToken(scope: string): string {
  return `s${new TextEncoder().encode(scope).toHex()}`;
}
