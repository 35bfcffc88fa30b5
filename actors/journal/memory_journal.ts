/**
 * The journal in memory: for tests and the simulated world, where it can crash and be opened
 * again from what was durable.
 * @module
 */

import { JournalError } from "./journal.ts";
import { type JournalRows, MemoryStore, NO_ROWS } from "./memory_store.ts";
import type { Durability } from "./journal_rows.ts";
import { type JournalOptions, StoreJournal } from "./store_journal.ts";

/** What a journal in memory starts with. */
export interface MemoryJournalOptions extends JournalOptions {
  /** What an earlier journal left behind. @default nothing */
  readonly rows?: JournalRows;
  /**
   * Called around each commit. What it throws `before` fails that commit (a `JournalError` plays
   * a full disk). A {@link MemoryJournal.crash} from inside is a crash just before the commit, or
   * after it became durable but before any caller hears of it.
   */
  readonly onCommit?: (phase: "before" | "after") => void;
}

/** A {@link Journal} whose disk is a value. */
export class MemoryJournal extends StoreJournal {
  readonly #store: CrashableStore;

  constructor(options: MemoryJournalOptions) {
    const store = new CrashableStore(options);
    super(store, options);
    this.#store = store;
  }

  /** All that is durable now; what waits for the next commit is not in it. */
  rows(): JournalRows {
    return this.#store.rows();
  }

  /**
   * Ends the journal as a dying process would, or a machine that loses its power, and gives what
   * is durable. Calls that wait, and all later ones, are never answered and change nothing.
   */
  crash(what: "process" | "power" = "process"): JournalRows {
    this.die();
    this.#store.isDead = true;
    if (what === "power") this.#store.loseUnsynced();
    return this.#store.rows();
  }
}

/** A store that tells of its commits and writes nothing once its process is dead. */
class CrashableStore extends MemoryStore {
  isDead = false;
  readonly #onCommit: ((phase: "before" | "after") => void) | undefined;

  constructor({ rows = NO_ROWS, onCommit }: MemoryJournalOptions) {
    super(rows);
    this.#onCommit = onCommit;
  }

  override transaction(work: () => void, durability: Durability): undefined {
    this.#onCommit?.("before");
    if (this.isDead) throw new JournalError("journal_closed", "Cannot commit: the process died");
    super.transaction(work, durability);
    this.#onCommit?.("after");
  }
}
