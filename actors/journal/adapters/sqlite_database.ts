/**
 * One SQLite file, held by one process: with the guarantees the journal needs.
 * @module
 */

import { dirname } from "node:path";
import { backup, DatabaseSync, type StatementSync } from "node:sqlite";
import { JournalError } from "../journal.ts";
import { LogSync } from "./log_sync.ts";
import { asJournalError } from "./sqlite_errors.ts";

/** What SQLite stores for us; booleans are 0 and 1. */
export type SqlValue = string | number | null;

/** How long opening waits for another process to let go; a restart overlaps by that much. */
const LOCK_WAIT_MS = 250;

/**
 * Each page that a commit touches is written whole, and most of our rows are short: with SQLite's
 * own 4,096 a turn costs a third more.
 */
const PAGE_BYTES = 2_048;

/** Pages that a copy takes at once: some milliseconds, between which the event loop goes on. */
const COPY_PAGES = 500;

/**
 * So long the log grows before what it holds goes into the database: a page that changes with
 * every turn is then copied once in some hundred turns, and the disk waited for as seldom. What a
 * crash leaves is read again in 20 ms.
 */
const LOG_BYTES = 4 * 1024 * 1024;

/** The write-ahead log is cut back to this after a burst made it grow. */
const LOG_BYTES_KEPT = 16 * 1024 * 1024;

/** A prepared statement whose failures are {@link JournalError}s. */
export class SqliteStatement {
  readonly #statement: StatementSync;
  readonly #path: string;

  constructor(statement: StatementSync, path: string) {
    this.#statement = statement;
    this.#path = path;
  }

  /** Runs it and gives how many rows it changed and the last row id it made. */
  run(...values: readonly SqlValue[]): { readonly changes: number; readonly rowId: number } {
    return this.#guard(() => {
      const { changes, lastInsertRowid } = this.#statement.run(...values);
      return { changes: Number(changes), rowId: Number(lastInsertRowid) };
    });
  }

  /** The first row, unchecked. */
  get(...values: readonly SqlValue[]): unknown {
    return this.#guard(() => this.#statement.get(...values));
  }

  /** All rows, unchecked. */
  all(...values: readonly SqlValue[]): unknown[] {
    return this.#guard(() => this.#statement.all(...values));
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw asJournalError(error, this.#path);
    }
  }
}

/** What a database is made of once its file is open. */
interface OpenedFiles {
  readonly database: DatabaseSync;
  /** The write-ahead log, which SQLite keeps as long as it is open. */
  readonly log: Deno.FsFile;
}

/**
 * A database in WAL mode, which no other process can open. SQLite writes each commit into its log
 * and syncs the log before it reuses it; when else it is synced, we say.
 */
export class SqliteDatabase implements Disposable {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #log: Deno.FsFile;
  readonly #sync: LogSync;
  readonly #begin: SqliteStatement;
  readonly #commit: SqliteStatement;
  readonly #rollback: SqliteStatement;
  /** The disk failed: what of the log it holds can be told only by reading it anew. */
  #failure: JournalError | undefined;

  /**
   * Opens the file, making it and its folder if need be, and checks it.
   *
   * @throws {JournalError} when another process holds it, or it is damaged or cannot be written
   */
  static open(path: string): SqliteDatabase {
    try {
      createPrivately(path);
      using opening = new DisposableStack();
      const database = opening.use(new DatabaseSync(path));
      configure(database, path);
      const log = opening.use(openLog(path));
      const opened = new SqliteDatabase({ database, log }, path);
      opening.move();
      return opened;
    } catch (error) {
      throw asJournalError(error, path);
    }
  }

  private constructor({ database, log }: OpenedFiles, path: string) {
    this.path = path;
    this.#database = database;
    this.#log = log;
    this.#sync = new LogSync(log);
    this.#begin = this.prepare("begin immediate");
    this.#commit = this.prepare("commit");
    this.#rollback = this.prepare("rollback");
  }

  /** Only prepared statements tell failures apart by number. */
  prepare(sql: string): SqliteStatement {
    try {
      return new SqliteStatement(this.#database.prepare(sql), this.path);
    } catch (error) {
      throw asJournalError(error, this.path);
    }
  }

  /** Commits what `work` writes, or keeps nothing when it or the commit fails. */
  transaction(work: () => void): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#abandon();
    this.#begin.run();
    try {
      work();
      this.#commit.run();
    } catch (error) {
      this.#abandon();
      throw error;
    }
  }

  /**
   * Makes all that was committed outlive a power cut: when it returns, or, where the disk is slow,
   * when its promise resolves. A disk that fails here may have dropped what it did not write, and
   * say at the next try that all is well: so nothing is taken any more until the journal is opened
   * anew.
   *
   * @throws {JournalError}
   */
  sync(): Promise<void> | undefined {
    try {
      return this.#sync.sync()?.catch((cause) => this.#failed(cause));
    } catch (cause) {
      return this.#failed(cause);
    }
  }

  /**
   * Writes a whole copy into a new file, for its owner only. Nothing may be written until it ends.
   *
   * @throws {JournalError}
   */
  async copy(path: string): Promise<void> {
    try {
      createPrivately(path);
      await backup(this.#database, path, { rate: COPY_PAGES });
      using file = Deno.openSync(path, { read: true, write: true });
      file.syncSync();
    } catch (error) {
      throw asJournalError(error, path);
    }
  }

  [Symbol.dispose](): void {
    if (!this.#database.isOpen) return;
    this.#database.close();
    this.#log.close();
  }

  #failed(cause: unknown): never {
    const message = `Cannot use journal "${this.path}": its disk failed; restart the gateway`;
    this.#failure ??= new JournalError("journal_unsynced", message, { cause });
    throw this.#failure;
  }

  /** Takes back what is under way; SQLite may have done so by itself (full disk). */
  #abandon(): void {
    if (this.#database.isTransaction) this.#rollback.run();
  }
}

/** Makes folder and file so that only their owner can look into them. */
function createPrivately(path: string): void {
  Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  Deno.openSync(path, { create: true, write: true, mode: 0o600 }).close();
  if (Deno.build.os !== "windows") Deno.chmodSync(path, 0o600);
}

/** The log is there with the first look at the database, and durable once its folder is. */
function openLog(path: string): Deno.FsFile {
  if (Deno.build.os !== "windows") {
    using folder = Deno.openSync(dirname(path), { read: true });
    folder.syncSync();
  }
  return Deno.openSync(`${path}-wal`, { read: true, write: true });
}

/** Order matters: `auto_vacuum` before the first table, the lock before anything is read. */
function configure(database: DatabaseSync, path: string): void {
  const pragma = (text: string) => Object.values(database.prepare(`pragma ${text}`).get() ?? {})[0];
  pragma(`busy_timeout = ${LOCK_WAIT_MS}`);
  pragma("locking_mode = exclusive");
  pragma(`page_size = ${PAGE_BYTES}`); // of a new file; an older one keeps its own
  pragma("auto_vacuum = incremental");
  const mode = pragma("journal_mode = wal");
  if (mode !== "wal") {
    const message = `Cannot use journal "${path}": its file system has no write-ahead log`;
    throw new JournalError("journal_failed", message);
  }
  pragma("synchronous = normal");
  pragma(`wal_autocheckpoint = ${LOG_BYTES / Number(pragma("page_size"))}`);
  pragma(`journal_size_limit = ${LOG_BYTES_KEPT}`);
  const found = pragma("quick_check(1)");
  if (found !== "ok") {
    throw new JournalError("journal_damaged", `Cannot use journal "${path}": ${found}`);
  }
  foldLog(pragma, path);
}

/**
 * Writes what a crash left in the log into the database, and syncs that. Of a log whose sync failed
 * the system may hold pages that never came to the disk, and take them for written: only written
 * anew do they. A disk that has no room for it is asked again by the next commits.
 */
function foldLog(pragma: (text: string) => unknown, path: string): void {
  try {
    pragma("wal_checkpoint(truncate)");
  } catch (error) {
    const failure = asJournalError(error, path);
    const { code } = failure instanceof JournalError ? failure : { code: null };
    if (code !== "journal_full" && code !== "journal_read_only") throw failure;
  }
}
