/**
 * What the memory actor understands. It owns all memory files of a workspace, of all scopes; the
 * prompt reads them by itself, as each is replaced whole.
 * @module
 */

import type { ReplyTo } from "../kernel/ref.ts";
import type { MemoryFileName, MemoryScope } from "./scope.ts";

/** A line of a history file: what remains of a stretch of conversation. */
export interface HistoryEntry {
  /** Counts up from 1; never given twice in a file. */
  readonly cursor: number;
  /** `YYYY-MM-DD HH:MM` where the assistant lives. */
  readonly timestamp: string;
  readonly content: string;
  /** Whose conversation it was; absent in entries of nanobot. */
  readonly session_key?: string | undefined;
  /** What keeps the same stretch from being archived twice. */
  readonly id?: string | undefined;
  /** Nobody but owners speaks through it. Absent: others may, and so it is in entries of nanobot. */
  readonly told_by?: "owners" | undefined;
}

/** What is to be appended to a history file. */
export interface NewHistoryEntry {
  readonly content: string;
  readonly sessionKey: string;
  /** Names the stretch: an entry whose key is known already is not appended again. */
  readonly key: string;
  /** A model's words, or messages as they are; each has its own limit. */
  readonly kind: "summary" | "raw";
  /** Nobody but owners speaks through it. @default false */
  readonly isOwners?: boolean;
}

/** What became of an append. */
export type HistoryAppended =
  | { readonly state: "appended"; readonly entry: HistoryEntry }
  /** The stretch is archived already. */
  | { readonly state: "repeated"; readonly cursor: number }
  /** There was nothing worth keeping: an empty text, or the model's mark for nothing. */
  | { readonly state: "nothing" };

/** How a file of facts is to change. Line ends are compared as `\n`. */
export type MemoryEdit =
  /** `from` stands there once, or `isEverywhere`. */
  | {
    readonly type: "replace";
    readonly from: string;
    readonly to: string;
    readonly isEverywhere?: boolean;
  }
  /**
   * The whole text. With `base`, the text that it was made from, what changed in the file since
   * then is kept, or the edit is refused.
   */
  | { readonly type: "write"; readonly text: string; readonly base?: string };

/** What became of an edit. */
export type MemoryEdited =
  | { readonly state: "edited"; readonly path: string; readonly version: string | null }
  | { readonly state: "unchanged"; readonly path: string }
  /** Nothing was written; `reason` is a sentence for the model or a person. */
  | { readonly state: "refused"; readonly reason: string };

/** How a run of Dream ended. */
export type DreamOutcome =
  | { readonly state: "nothing_new" }
  | {
    readonly state: "done";
    /** Entries digested. */
    readonly entries: number;
    /** Entries that wait for the next run. */
    readonly left: number;
    /** Versions made, oldest first. */
    readonly versions: readonly string[];
    /** Skills that it proposes, by name. */
    readonly proposals: readonly string[];
  }
  /** Batches before the failed one stay digested; the rest waits for the next run. */
  | { readonly state: "failed"; readonly reason: string; readonly entries: number };

/** A state of the memory files. */
export interface MemoryVersion {
  /** The commit's name, 40 hex digits. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** First line. */
  readonly subject: string;
  readonly body: string;
}

/** What a version changed. */
export interface VersionShown {
  readonly version: MemoryVersion;
  /** Paths below the workspace. */
  readonly files: readonly string[];
  /** Unified diff; "" for the first version. */
  readonly diff: string;
}

/** The versions there are; `off` says why there are none to be had. */
export type VersionList =
  | { readonly state: "versions"; readonly versions: readonly MemoryVersion[] }
  | { readonly state: "off"; readonly reason: string };

/** A look at a version. */
export type VersionAnswer =
  | { readonly state: "shown"; readonly shown: VersionShown }
  | { readonly state: "unknown" }
  | { readonly state: "off"; readonly reason: string };

/** What became of taking a version back. */
export type VersionRestored =
  | {
    readonly state: "restored";
    /** The version that takes it back. */
    readonly version: string;
    readonly files: readonly string[];
  }
  /** What it changed is not there any more. */
  | { readonly state: "unchanged" }
  /** Later changes touch the same lines in these files: nothing was written. */
  | { readonly state: "conflict"; readonly files: readonly string[] }
  /** No such version, or it is the first. */
  | { readonly state: "unknown" }
  | { readonly state: "off"; readonly reason: string };

/** A message to the memory actor. Answers that are failures refuse with a `MemoryError`. */
export type MemoryMessage =
  | {
    readonly type: "append_history";
    readonly scope: MemoryScope;
    readonly entry: NewHistoryEntry;
    readonly replyTo: ReplyTo<HistoryAppended>;
  }
  | {
    readonly type: "edit_memory_file";
    readonly scope: MemoryScope;
    readonly file: MemoryFileName;
    readonly edit: MemoryEdit;
    /** Why, for the version: `asked in feishu:oc_1`. */
    readonly reason: string;
    readonly replyTo: ReplyTo<MemoryEdited>;
  }
  | {
    readonly type: "dream";
    readonly reason: "due" | "asked";
    readonly replyTo: ReplyTo<DreamOutcome>;
  }
  | {
    readonly type: "list_versions";
    readonly limit: number;
    readonly replyTo: ReplyTo<VersionList>;
  }
  /** `id`: at least 4 digits of it; null is the newest. */
  | {
    readonly type: "show_version";
    readonly id: string | null;
    readonly replyTo: ReplyTo<VersionAnswer>;
  }
  | {
    readonly type: "restore_version";
    readonly id: string;
    readonly replyTo: ReplyTo<VersionRestored>;
  };
