/**
 * SQLite without us: what the same machine takes, at the same time, for one synced commit.
 * @module
 */

import { DatabaseSync, type StatementSync } from "node:sqlite";

/** A line of a conversation, about. */
const TEXT = "x".repeat(500);

/** More commits than are measured. */
const FILLING_COMMITS = 1_000;

/**
 * A database in the mode in which the journal runs, with a log that is written anew from its start,
 * as the journal's is: one that still grows takes a sync twice as long.
 */
export class BareDatabase implements Disposable {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #insert: StatementSync;
  readonly #commit: StatementSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#set(
      "page_size = 2048",
      "locking_mode = exclusive",
      "journal_mode = wal",
      "wal_autocheckpoint = 0",
      "synchronous = off",
    );
    this.#database.exec("create table lines (text text)");
    this.#begin = this.#database.prepare("begin immediate");
    this.#insert = this.#database.prepare("insert into lines values (?)");
    this.#commit = this.#database.prepare("commit");
    for (let filled = 0; filled < FILLING_COMMITS; filled++) this.commit();
    this.#set("synchronous = full", "wal_checkpoint(restart)");
  }

  /** Commits one row; milliseconds. */
  commit(): number {
    const startMs = performance.now();
    this.#begin.run();
    this.#insert.run(TEXT);
    this.#commit.run();
    return performance.now() - startMs;
  }

  #set(...pragmas: readonly string[]): void {
    for (const pragma of pragmas) this.#database.exec(`pragma ${pragma}`);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
