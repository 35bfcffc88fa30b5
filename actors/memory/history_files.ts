/**
 * The history files of all scopes: what remains of conversations, until Dream has digested it and
 * for a while after.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../kernel/clock.ts";
import { type Breathe, neverBreathe } from "../kernel/breathing.ts";
import { localMinute } from "../kernel/local_time.ts";
import {
  compactHistory,
  entriesAfter,
  hasRepeats,
  historyContent,
  numberApart,
  readCursor,
  readHistory,
} from "./history_file.ts";
import { KnownHistories } from "./known_histories.ts";
import type { MemoryFiles } from "./ports.ts";
import type { HistoryAppended, HistoryEntry, NewHistoryEntry } from "./protocol.ts";
import type { MemoryScope } from "./scope.ts";

const logger = getLogger(["troupe", "memory", "history_files"]);

/** What histories are kept with. */
export interface HistoryFilesOptions {
  readonly files: MemoryFiles;
  readonly clock: Clock;
  /** IANA name. */
  readonly timezone: string;
  /** Lets others work while a long history is read. @default it is read at once */
  readonly breathe?: Breathe | undefined;
}

/** How much is taken at once; at least one entry is. */
export interface WaitingLimits {
  readonly entriesMax: number;
  /** Characters of all of them together. */
  readonly charsMax: number;
}

/** What Dream has to digest next. */
export interface HistoryWaiting {
  /** Oldest first. */
  readonly entries: readonly HistoryEntry[];
  /** Entries behind them. */
  readonly left: number;
  /** Nobody but owners speaks through any of them. */
  readonly isOwners: boolean;
}

/** One for each workspace, used by one thing at a time. Errors are those of the files. */
export class HistoryFiles {
  readonly #options: HistoryFilesOptions;
  readonly #breathe: Breathe;
  readonly #known: KnownHistories;
  /** Folders whose bad lines were told of. */
  readonly #warned = new Set<string>();

  constructor(options: HistoryFilesOptions) {
    this.#options = options;
    this.#breathe = options.breathe ?? neverBreathe;
    this.#known = new KnownHistories(options.files, (scope, text) => this.#entries(scope, text));
  }

  /** Adds an entry, once for each key. */
  async append(scope: MemoryScope, added: NewHistoryEntry): Promise<HistoryAppended> {
    const content = historyContent(added);
    if (content === null) return { state: "nothing" };
    const { files, clock, timezone } = this.#options;
    const known = await this.#known.of(scope);
    const repeated = known.cursors.get(added.key);
    if (repeated !== undefined) return { state: "repeated", cursor: repeated };
    const cursor = readCursor(await files.read(scope.cursorPath));
    const entry = {
      cursor: Math.max(known.highest, cursor, await this.dreamCursor(scope)) + 1,
      timestamp: localMinute(clock.now(), timezone),
      content,
      session_key: added.sessionKey,
      id: added.key,
      ...(added.isOwners && { told_by: "owners" as const }),
    };
    await this.#known.append(scope, entry);
    await files.replace(scope.cursorPath, String(entry.cursor));
    return { state: "appended", entry };
  }

  /**
   * The oldest entries that were not digested yet, those of owners apart from others'; null when
   * there are none.
   */
  async waiting(
    scope: MemoryScope,
    { entriesMax, charsMax }: WaitingLimits,
  ): Promise<HistoryWaiting | null> {
    const waiting = await this.#waitingApart(scope);
    const entries: HistoryEntry[] = [];
    let chars = 0;
    for (const entry of waiting.slice(0, entriesMax)) {
      if (entry.told_by !== waiting[0]?.told_by) break;
      chars += entry.content.length;
      if (entries.length > 0 && chars > charsMax) break;
      entries.push(entry);
    }
    const [first] = entries;
    if (first === undefined) return null;
    const isOwners = first.told_by === "owners";
    return { entries, left: waiting.length - entries.length, isOwners };
  }

  /** The number of the last entry that Dream has digested. */
  async dreamCursor(scope: MemoryScope): Promise<number> {
    return readCursor(await this.#options.files.read(scope.dreamCursorPath));
  }

  /** Leaves the oldest entries out, up to `digested`. */
  async compact(scope: MemoryScope, digested: number): Promise<void> {
    const { files } = this.#options;
    const text = await files.read(scope.historyPath) ?? "";
    const compacted = await compactHistory(text, { digested, breathe: this.#breathe });
    // Where somebody edits it just now, the next run tries again.
    if (compacted !== text) await files.swap(scope.historyPath, text, compacted);
  }

  /**
   * All that waits, in order. A batch is done by the number of its last entry alone: another with
   * that number (an edit by hand, two workspaces brought together) would count as digested unread.
   */
  async #waitingApart(scope: MemoryScope): Promise<readonly HistoryEntry[]> {
    const { files } = this.#options;
    const text = await files.read(scope.historyPath) ?? "";
    const digested = await this.dreamCursor(scope);
    const waiting = entriesAfter(await this.#entries(scope, text), digested);
    if (!hasRepeats(waiting)) return waiting;
    const apart = await numberApart(text, { digested, breathe: this.#breathe });
    // Where somebody edits it just now, the next run tries again.
    if (!await files.swap(scope.historyPath, text, apart)) return [];
    logger.info("Numbered entries of {path} anew, as numbers stood there twice", {
      path: scope.historyPath,
    });
    return entriesAfter(await this.#entries(scope, apart), digested);
  }

  async #entries(scope: MemoryScope, text: string): Promise<readonly HistoryEntry[]> {
    const { entries, skipped } = await readHistory(text, this.#breathe);
    if (skipped > 0 && !this.#warned.has(scope.folder)) {
      this.#warned.add(scope.folder);
      logger.warn("Skipped {skipped} lines of {path} that are no entries", {
        skipped,
        path: scope.historyPath,
      });
    }
    return entries;
  }
}
