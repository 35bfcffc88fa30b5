/**
 * A memory that sessions add to: it keeps what it is given, once per key, and fails on request.
 * @module
 */

import type { HistoryAppended, NewHistoryEntry } from "../../actors/memory/protocol.ts";
import {
  type MemoryOrigin,
  type MemoryScope,
  memoryScope,
  type MemoryScopeSetting,
  sessionMemoryScope,
} from "../../actors/memory/scope.ts";
import type { ArchivePort } from "../../actors/session/ports.ts";

/** What was kept, and whose it is. */
export interface KeptEntry extends NewHistoryEntry {
  readonly scope: string;
}

/** Outlives the sessions that a test starts and crashes. */
export class BenchArchive implements ArchivePort {
  readonly kept: KeptEntry[] = [];
  /** Called before each append; what it throws is the failure. */
  fault: (entry: NewHistoryEntry) => void = () => {};
  readonly #setting: MemoryScopeSetting;
  readonly #isOwner: (origin: MemoryOrigin) => boolean;

  constructor(
    setting: MemoryScopeSetting = "global",
    isOwner: (origin: MemoryOrigin) => boolean = () => false,
  ) {
    this.#setting = setting;
    this.#isOwner = isOwner;
  }

  isOwner(origin: MemoryOrigin): boolean {
    return this.#isOwner(origin);
  }

  scopeOf(origin: MemoryOrigin): MemoryScope {
    return memoryScope(this.#setting, origin);
  }

  scopeOfSession(sessionKey: string): MemoryScope {
    return sessionMemoryScope(this.#setting, sessionKey);
  }

  async append(scope: MemoryScope, entry: NewHistoryEntry): Promise<HistoryAppended> {
    await Promise.resolve();
    this.fault(entry);
    const known = this.kept.findIndex(({ key }) => key === entry.key);
    if (known !== -1) return { state: "repeated", cursor: known + 1 };
    const cursor = this.kept.push({ ...entry, scope: scope.key });
    const { content } = entry;
    return { state: "appended", entry: { cursor, timestamp: "2026-01-02 03:04", content } };
  }

  /** The texts, in order. */
  get texts(): string[] {
    return this.kept.map(({ content }) => content);
  }
}
