/**
 * The journal in a SQLite file: every commit is on the disk when its promise resolves.
 * @module
 */

import { SqliteDatabase } from "./adapters/sqlite_database.ts";
import { SqliteStore } from "./adapters/sqlite_store.ts";
import type { Journal } from "./journal.ts";
import { type JournalOptions, StoreJournal } from "./store_journal.ts";

/** Where a journal on disk lives. */
export interface SqliteJournalOptions extends JournalOptions {
  /** Path of its file; file and folder are made, for their owner only, if they are not there. */
  readonly path: string;
}

/**
 * Opens the journal, or makes it. One process holds it at a time.
 *
 * @throws {JournalError} `journal_locked` when another process holds it, `journal_newer` when a
 * newer program wrote it, `journal_damaged`, `journal_full`, `journal_read_only`
 */
export function openSqliteJournal(options: SqliteJournalOptions): Journal {
  using opening = new DisposableStack();
  const database = opening.use(SqliteDatabase.open(options.path));
  const journal = new StoreJournal(new SqliteStore(database), options);
  opening.move();
  return journal;
}
