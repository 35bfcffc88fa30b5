/**
 * All changes of memory files, one after another: nobody else writes them but people, by hand, at
 * any moment.
 * @module
 */

import type { Breathe } from "../kernel/breathing.ts";
import { asError } from "../kernel/errors.ts";
import { editedText } from "./edit_memory.ts";
import { MemoryError } from "./errors.ts";
import { HistoryFiles, type HistoryWaiting, type WaitingLimits } from "./history_files.ts";
import { takeOverHistory } from "./history_migration.ts";
import { carryOutIntent, endIntent, type Intent, readIntent, writeIntent } from "./intent.ts";
import { MemoryRecord, type MemoryRecordOptions } from "./memory_record.ts";
import type {
  HistoryAppended,
  MemoryEdit,
  MemoryEdited,
  NewHistoryEntry,
  VersionAnswer,
  VersionList,
  VersionRestored,
} from "./protocol.ts";
import {
  MEMORY_FILE_NAMES,
  type MemoryFileName,
  type MemoryScope,
  type MemoryTexts,
  PROPOSED_SKILLS,
} from "./scope.ts";
import { mergeTexts } from "./text_merge.ts";
import { SHORT_ID_CHARS, type Versions } from "./versions.ts";

/** Tries to bring an edit together with what people write at the same moment. */
const SWAPS_MAX = 5;

/** What the memory is kept with. */
export interface MemoryKeeperOptions extends MemoryRecordOptions {
  /** IANA name. */
  readonly timezone: string;
  /** Lets others work while a long history is read. @default it is read at once */
  readonly breathe?: Breathe | undefined;
}

/** What Dream has to digest next. */
export interface DreamBatch extends HistoryWaiting {
  readonly texts: MemoryTexts;
}

/** What came of a batch. */
export interface Digested {
  readonly scope: MemoryScope;
  /** The number of the last entry of the batch. */
  readonly cursor: number;
  /** The texts that Dream began with. */
  readonly base: MemoryTexts;
  readonly texts: MemoryTexts;
  /** New files, by path; one that is there already stays. */
  readonly proposals: ReadonlyMap<string, string>;
  /** When the last entry was made, in words. */
  readonly lastTimestamp: string;
}

/** How the end of a batch was taken. */
export type BatchEnd =
  | { readonly state: "kept"; readonly version: string | null }
  /** These files were edited by hand in the same places meanwhile: nothing was written. */
  | { readonly state: "conflict"; readonly files: readonly string[] };

/** One for each workspace. All methods throw {@link MemoryError}. */
export class MemoryKeeper {
  readonly #options: MemoryKeeperOptions;
  readonly #history: HistoryFiles;
  readonly #record: MemoryRecord;
  #last: Promise<unknown> = Promise.resolve();
  #isOpened = false;

  constructor(options: MemoryKeeperOptions) {
    this.#options = options;
    this.#history = new HistoryFiles(options);
    this.#record = new MemoryRecord(options);
  }

  /** Finishes what a crash interrupted, and takes over an older history. */
  open(): Promise<void> {
    return this.#alone(() => Promise.resolve());
  }

  /** Adds an entry, once for each key. */
  append(scope: MemoryScope, added: NewHistoryEntry): Promise<HistoryAppended> {
    // A file of facts that cannot be written must not keep summaries waiting.
    return this.#alone(
      () => this.#history.append(scope, added),
      () => takeOverHistory(this.#options),
    );
  }

  /** Changes a file of facts, unless what it holds now does not allow it. */
  edit(
    scope: MemoryScope,
    file: MemoryFileName,
    { edit, reason }: { readonly edit: MemoryEdit; readonly reason: string },
  ): Promise<MemoryEdited> {
    return this.#alone(async () => {
      const { files } = this.#options;
      const path = scope.pathOf(file);
      for (let tries = 0; tries < SWAPS_MAX; tries++) {
        const current = await files.read(path);
        const edited = await editedText(current ?? "", edit);
        if (edited.state === "refused") {
          return { state: "refused", reason: `Cannot edit "${path}": ${edited.problem}` };
        }
        if (edited.text === current) return { state: "unchanged", path };
        if (!await files.swap(path, current, edited.text)) continue;
        const change = { path, before: current, after: edited.text };
        return {
          state: "edited",
          path,
          version: await this.#record.changes([change], () => reason),
        };
      }
      return {
        state: "refused",
        reason: `Cannot edit "${path}": somebody keeps changing it; try again later`,
      };
    });
  }

  /** Scopes that have a memory; everybody's first. */
  scopes(): Promise<readonly MemoryScope[]> {
    return this.#alone(() => this.#record.scopes());
  }

  /** The oldest entries that were not digested yet; null when there are none. */
  nextBatch(
    scope: MemoryScope,
    limits: WaitingLimits,
  ): Promise<DreamBatch | null> {
    return this.#alone(async () => {
      const waiting = await this.#history.waiting(scope, limits);
      return waiting === null ? null : { ...waiting, texts: await this.#texts(scope) };
    });
  }

  /** How old the lines of a scope's MEMORY.md are, in days; none where nobody knows. */
  lineAges(scope: MemoryScope, text: string): Promise<readonly number[]> {
    return this.#alone(async () => {
      const { versions } = this.#record;
      if (versions === null) return [];
      await this.#record.byHand();
      return await versions.lineAges(scope.pathOf("MEMORY"), text, this.#options.clock.now());
    });
  }

  /** Takes what came of a batch: files, number and version, all or nothing. */
  finishBatch(digested: Digested): Promise<BatchEnd> {
    return this.#alone(async () => {
      const { scope, base, texts, proposals, cursor, lastTimestamp } = digested;
      await this.#record.byHand();
      const changes: Intent["files"][number][] = [];
      const conflicts: string[] = [];
      for (const file of MEMORY_FILE_NAMES) {
        if (texts[file] === base[file]) continue;
        const path = scope.pathOf(file);
        const before = await this.#options.files.read(path);
        const merged = await mergeTexts(base[file], before ?? "", texts[file]);
        if (merged.state === "conflict") conflicts.push(path);
        else changes.push({ path, before, after: merged.text });
      }
      if (conflicts.length > 0) return { state: "conflict", files: conflicts };
      for (const [path, after] of proposals) {
        const isThere = await this.#options.files.read(path) !== null;
        if (!isThere) changes.push({ path, before: null, after });
      }
      const version = await this.#carryOut({
        files: changes,
        cursor: { path: scope.dreamCursorPath, value: cursor },
        subject: `dream: ${lastTimestamp}, {n} change(s)`,
      });
      await this.#history.compact(scope, cursor);
      return { state: "kept", version };
    });
  }

  /** Names of the skills that are there. */
  skillFolders(): Promise<readonly string[]> {
    return this.#alone(async () => {
      const names = await this.#options.files.folders("skills");
      return names.filter((name) => !name.startsWith("."));
    });
  }

  /** Names of the skills that wait for the owner's word. */
  proposedSkills(): Promise<readonly string[]> {
    return this.#alone(() => this.#options.files.folders(PROPOSED_SKILLS));
  }

  /** A file that Dream may look at. */
  read(path: string): Promise<string | null> {
    return this.#alone(() => this.#options.files.read(path));
  }

  /** The number of the last entry that Dream has digested. */
  dreamCursor(scope: MemoryScope): Promise<number> {
    return this.#alone(() => this.#history.dreamCursor(scope));
  }

  listVersions(limit: number): Promise<VersionList> {
    return this.#versioned(async (versions) => ({
      state: "versions",
      versions: await versions.list(limit),
    }));
  }

  showVersion(id: string | null): Promise<VersionAnswer> {
    return this.#versioned(async (versions) => {
      const shown = await versions.show(id);
      return shown === null ? { state: "unknown" } : { state: "shown", shown };
    });
  }

  /** Takes a version back and keeps what was changed since, by hand too. */
  restoreVersion(id: string): Promise<VersionRestored> {
    return this.#versioned<VersionRestored>(async (versions) => {
      await this.#record.byHand();
      const undoing = await versions.undo(id, await this.#record.tracked());
      if (undoing.state !== "changes") return undoing;
      const files = undoing.files.map(({ path, before, after }) => ({
        path,
        before,
        after: after ?? "",
      }));
      const short = id.trim().slice(0, SHORT_ID_CHARS);
      const version = await this.#carryOut({
        files,
        cursor: null,
        subject: `restore: undo ${short}`,
      });
      return version === null
        ? { state: "unchanged" }
        : { state: "restored", version, files: files.map(({ path }) => path) };
    });
  }

  /** Does one thing at a time, after what a crash left was finished. */
  #alone<T>(work: () => Promise<T>, open = () => this.#open()): Promise<T> {
    const turn = this.#last.then(async () => {
      try {
        if (!this.#isOpened) await open();
        return await work();
      } catch (thrown) {
        if (thrown instanceof MemoryError) throw thrown;
        const cause = asError(thrown);
        const message = `Cannot use the memory files: ${cause.message}`;
        throw new MemoryError("memory_file_failed", message, { cause });
      }
    });
    this.#last = turn.catch(() => {}); // told to whoever asked
    return turn;
  }

  #versioned<T>(
    work: (versions: Versions) => Promise<T>,
  ): Promise<T | { readonly state: "off"; readonly reason: string }> {
    const { versions } = this.#record;
    if (versions === null) {
      return Promise.resolve({ state: "off", reason: "memory is not versioned here" });
    }
    return this.#alone(async () => {
      try {
        return await work(versions);
      } catch (thrown) {
        const cause = asError(thrown);
        const message = `Cannot read the versions of the memory: ${cause.message}`;
        throw new MemoryError("memory_versions_failed", message, { cause });
      }
    });
  }

  async #open(): Promise<void> {
    await takeOverHistory(this.#options);
    const intent = await readIntent(this.#options.files);
    if (intent !== null) await this.#finish(intent, true);
    this.#isOpened = true;
  }

  /** What fails half-way is finished before anything else is done: see {@linkcode #open}. */
  async #carryOut(intent: Intent): Promise<string | null> {
    this.#isOpened = false;
    await writeIntent(this.#options.files, intent);
    const version = await this.#finish(intent, false);
    this.#isOpened = true;
    return version;
  }

  async #finish(intent: Intent, isRepeated: boolean): Promise<string | null> {
    const { files } = this.#options;
    const { kept } = await carryOutIntent(files, intent);
    const changes = intent.files.filter(({ path }) => !kept.includes(path));
    const subject = (count: number) => intent.subject.replace("{n}", String(count));
    const version = await this.#record.changes(changes, subject, isRepeated);
    await endIntent(files);
    return version;
  }

  async #texts(scope: MemoryScope): Promise<MemoryTexts> {
    const { files } = this.#options;
    const read = async (file: MemoryFileName) => await files.read(scope.pathOf(file)) ?? "";
    return { MEMORY: await read("MEMORY"), SOUL: await read("SOUL"), USER: await read("USER") };
  }
}
