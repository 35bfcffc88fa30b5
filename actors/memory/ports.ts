/**
 * What the memory takes from outside: its files, the store of their versions, the model.
 * @module
 */

import type { Answerer, Provider, Usage } from "../../providers/provider.ts";
import type { MemoryVersion } from "./protocol.ts";

/**
 * Text files of the workspace; a port so that the simulated world can lose what was not synced.
 * Paths are relative to the workspace, with `/`. Bytes that are no UTF-8 are replaced on reading,
 * except in a file of facts, which is not read then: writing it again would lose them.
 */
export interface MemoryFiles {
  /** Whole content, or null where there is no such file. */
  read(path: string): Promise<string | null>;
  /** Appends and syncs; cuts the file back to its former end when that fails half-way. */
  append(path: string, text: string): Promise<void>;
  /** Replaces whole and atomically (temp, sync, rename). */
  replace(path: string, text: string): Promise<void>;
  /**
   * Replaces only what still reads `expected` (null: only where there is no file), so that an
   * edit by hand is not overwritten.
   *
   * @returns whether it did
   */
  swap(path: string, expected: string | null, text: string): Promise<boolean>;
  /** Removes a file; nothing happens where there is none. */
  remove(path: string): Promise<void>;
  /** Gives a file another name, which must be free. */
  rename(from: string, to: string): Promise<void>;
  /** Names of the folders in a folder; none where it is missing. */
  folders(path: string): Promise<readonly string[]>;
  /** Epoch milliseconds; null where there is no such file. */
  modifiedAtMs(path: string): Promise<number | null>;
  /** Tells in no time whether a file is still as it was; null where there is no such file. */
  mark(path: string): Promise<FileMark | null>;
}

/** What a file looks like from outside. */
export interface FileMark {
  /** In bytes. */
  readonly size: number;
  /** Another one for whatever else changed: which file it is, when, how it ends. */
  readonly state: string;
}

/** A state of the files that becomes a version. */
export interface NewVersion {
  /** Texts by path. */
  readonly files: ReadonlyMap<string, string>;
  /** First line, an empty one, and the rest. */
  readonly message: string;
  readonly atMs: number;
}

/** A version, and the one before it. */
export interface FoundVersion {
  readonly version: MemoryVersion;
  /** Null for the first. */
  readonly parentId: string | null;
}

/** Keeps versions in a row; only the memory actor writes there. */
export interface VersionStore {
  /** Another one once the store had to begin anew: what was known of its versions is void. */
  readonly epoch: number;
  /** @returns the new version's id */
  commit(version: NewVersion): Promise<string>;
  /** The one version whose id begins so; null where there is none, or several. */
  find(idStart: string): Promise<FoundVersion | null>;
  /** Newest first, `limit` at most. */
  log(limit: number): Promise<readonly MemoryVersion[]>;
  /** The texts of a version by path. */
  files(id: string): Promise<ReadonlyMap<string, string>>;
}

/** A skill as it is looked over: its folder's name, and when it is used. */
export interface KnownSkill {
  readonly name: string;
  readonly description: string;
}

/** A skill as it may be proposed, or what is wrong with it, for a model. */
export type SkillCheck =
  | { readonly state: "fine"; readonly text: string }
  | { readonly state: "wrong"; readonly problem: string };

/** The skills that there are, and the judgement of those that Dream would add. */
export interface DreamSkills {
  known(): Promise<readonly KnownSkill[]>;
  check(name: string, text: string): Promise<SkillCheck>;
}

/** What a call of the model used. */
export interface DreamUsage {
  readonly by: Answerer;
  readonly usage: Usage;
  /** The provider told nothing: the usage is a guess. */
  readonly isEstimated: boolean;
}

/** Whether a call may begin. */
export type CallPermit =
  /** `release` follows once what the call used is counted, or nothing will be. */
  | { readonly state: "allowed"; readonly release: () => void }
  /** `reason` is half a sentence. */
  | { readonly state: "refused"; readonly reason: string };

/** The model that Dream thinks with. */
export interface DreamModel {
  /** With retries inside. */
  readonly provider: Provider;
  readonly model: string;
  /** Longest answer, in tokens. */
  readonly tokensMax: number;
  readonly temperature: number;
  readonly reasoningEffort: string | null;
  /** Characters of history that one request may hold. */
  readonly batchCharsMax: number;
  /**
   * Lets a call begin, unless a budget is spent, and holds back what it may use at most. Waits
   * where only what others hold back stands in the way.
   *
   * @throws the signal's reason when it aborts
   */
  readonly reserve: (most: Usage, signal: AbortSignal) => Promise<CallPermit>;
  /** Counts what was used. */
  readonly book: (used: DreamUsage) => Promise<void>;
}
