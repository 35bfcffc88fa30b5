/**
 * The journal in a SQLite file: every commit is on the disk when its promise resolves.
 * @module
 */

import { SqliteDatabase } from "./adapters/sqlite_database.ts";
import { SqliteStore } from "./adapters/sqlite_store.ts";
import { type JournalOptions, StoreJournal } from "./store_journal.ts";

/** Where a journal on disk lives. */
export interface SqliteJournalOptions extends JournalOptions {
  /** Path of its file; file and folder are made, for their owner only, if they are not there. */
  readonly path: string;
}

/** A journal of which a whole copy can be had while it is used. */
export class SqliteJournal extends StoreJournal {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase, options: JournalOptions) {
    super(new SqliteStore(database), options);
    this.#database = database;
  }

  /**
   * Writes all that is committed into a new file. Until that has ended nothing more is committed.
   *
   * @param meanwhile called when the copy is whole, and before anything more is committed
   * @throws {JournalError} when it cannot be written
   */
  copy<T>(path: string, meanwhile: () => T): Promise<T> {
    return this.alone(async () => {
      await this.#database.copy(path);
      return meanwhile();
    });
  }
}

/**
 * Opens the journal, or makes it. One process holds it at a time.
 *
 * @throws {JournalError} `journal_locked` when another process holds it, `journal_newer` when a
 * newer program wrote it, `journal_damaged`, `journal_full`, `journal_read_only`
 */
export function openSqliteJournal(options: SqliteJournalOptions): SqliteJournal {
  using opening = new DisposableStack();
  const database = opening.use(SqliteDatabase.open(options.path));
  const journal = new SqliteJournal(database, options);
  opening.move();
  return journal;
}
