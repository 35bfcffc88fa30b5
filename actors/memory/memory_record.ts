/**
 * Keeps versions of the memory files: what we change apart from what people change by hand, so that
 * either can be taken back without the other.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../kernel/clock.ts";
import { asError } from "../kernel/errors.ts";
import type { MemoryFiles, VersionStore } from "./ports.ts";
import { MEMORY_FILE_NAMES, MemoryScope, PROPOSED_SKILLS, SCOPES_PATH } from "./scope.ts";
import type { FileChange } from "./text_merge.ts";
import { Versions } from "./versions.ts";

const logger = getLogger(["troupe", "memory", "memory_record"]);

const BY_HAND = "Edited by hand";

/** What a record is kept with. */
export interface MemoryRecordOptions {
  readonly files: MemoryFiles;
  /** Undefined where nothing is versioned. */
  readonly versions?: VersionStore | undefined;
  readonly clock: Clock;
}

/** One for each workspace, used by one thing at a time. */
export class MemoryRecord {
  /** Null where nothing is versioned. */
  readonly versions: Versions | null;
  readonly #files: MemoryFiles;
  readonly #clock: Clock;

  constructor({ files, versions, clock }: MemoryRecordOptions) {
    this.versions = versions === undefined ? null : new Versions(versions);
    this.#files = files;
    this.#clock = clock;
  }

  /** Keeps the files as they are, if people changed them since the last version. */
  async byHand(): Promise<void> {
    await this.changes([], () => BY_HAND);
  }

  /**
   * Keeps a version with our changes alone, which have just been made; what people changed before
   * or meanwhile gets versions of its own. What cannot be versioned is remembered all the same.
   *
   * @param mayBeKept a crash interrupted this once: the version may have been made
   * @returns the id of the version, if there is a new one
   */
  async changes(
    changes: readonly FileChange[],
    subject: (changes: number) => string,
    mayBeKept: boolean = false,
  ): Promise<string | null> {
    const { versions } = this;
    if (versions === null) return null;
    try {
      const nowMs = this.#clock.now();
      const files = await this.tracked();
      const tracked = changes.filter(({ path }) => !path.startsWith(`${PROPOSED_SKILLS}/`));
      let version: string | null = null;
      const isKept = mayBeKept && await versions.holds(tracked);
      if (tracked.length > 0 && !isKept) {
        await versions.record(withTexts(files, tracked, "before"), () => BY_HAND, nowMs);
        version = await versions.record(withTexts(files, tracked, "after"), subject, nowMs);
      }
      await versions.record(files, () => BY_HAND, nowMs);
      return version;
    } catch (thrown) {
      const { message } = asError(thrown);
      logger.error("Cannot keep a version of the memory files: {reason}", { reason: message });
      return null;
    }
  }

  /** The files that are versioned, by path. */
  async tracked(): Promise<ReadonlyMap<string, string>> {
    const paths = new Set<string>();
    for (const scope of await this.scopes()) {
      for (const file of MEMORY_FILE_NAMES) paths.add(scope.pathOf(file));
      paths.add(scope.dreamCursorPath);
    }
    const texts = new Map<string, string>();
    for (const path of paths) {
      const text = await this.#files.read(path);
      if (text !== null) texts.set(path, text);
    }
    return texts;
  }

  /** Scopes that have a memory; everybody's first. */
  async scopes(): Promise<readonly MemoryScope[]> {
    const names = await this.#files.folders(SCOPES_PATH);
    return [MemoryScope.global, ...names.map((name) => MemoryScope.found(name))];
  }
}

function withTexts(
  files: ReadonlyMap<string, string>,
  changes: readonly FileChange[],
  side: "before" | "after",
): ReadonlyMap<string, string> {
  const texts = new Map(files);
  for (const change of changes) {
    const text = change[side];
    if (text === null) texts.delete(change.path);
    else texts.set(change.path, text);
  }
  return texts;
}
