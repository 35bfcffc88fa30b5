/**
 * SQLite without us: what the same machine takes, at the same time, for one synced commit.
 * @module
 */

import { DatabaseSync, type StatementSync } from "node:sqlite";

/** A line of a conversation, about. */
const TEXT = "x".repeat(500);

/** A database in the mode in which the journal runs. */
export class BareDatabase implements Disposable {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #insert: StatementSync;
  readonly #commit: StatementSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    for (const pragma of ["locking_mode = exclusive", "journal_mode = wal", "synchronous = full"]) {
      this.#database.exec(`pragma ${pragma}`);
    }
    this.#database.exec("create table lines (text text)");
    this.#begin = this.#database.prepare("begin immediate");
    this.#insert = this.#database.prepare("insert into lines values (?)");
    this.#commit = this.#database.prepare("commit");
  }

  /** Commits one row; milliseconds. */
  commit(): number {
    const startMs = performance.now();
    this.#begin.run();
    this.#insert.run(TEXT);
    this.#commit.run();
    return performance.now() - startMs;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
