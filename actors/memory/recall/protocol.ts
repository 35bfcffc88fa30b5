/**
 * What recall is asked, and what it finds: passages of what was said and noted, by their words.
 * @module
 */

import type { ReplyTo } from "../../kernel/ref.ts";

/** Where a passage stands: a summary, a file of facts, or a conversation. */
export type RecallKind = "history" | "facts" | "session";

/** All kinds. */
export const RECALL_KINDS: readonly RecallKind[] = ["history", "facts", "session"];

/** What narrows a search. */
export interface RecallFilter {
  /** Folder of the only scope that is looked into; null: all of them, for the owner's command. */
  readonly scope: string | null;
  /** @default all */
  readonly kinds?: readonly RecallKind[] | undefined;
  /** Epoch milliseconds, included. Undated passages are left out as soon as one is given. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** A search by words. */
export interface RecallQuery extends RecallFilter {
  /** Words as people write them; no operators. */
  readonly text: string;
  readonly limit: number;
  /** Results left out before the first. @default 0 */
  readonly offset?: number | undefined;
}

/** What the model sees of a conversation already. */
export interface VisibleSpan {
  readonly sessionKey: string;
  /** Of its first message; null when that is not known: then all of the session counts. */
  readonly sinceMs: number | null;
}

/** What somebody just wrote, and what is remembered by it without being asked. */
export interface Reminder {
  readonly text: string;
  /** Folder of the scope. */
  readonly scope: string;
  readonly visible: VisibleSpan;
  readonly limit: number;
}

/** A passage that was found. */
export interface RecallHit {
  /** The part of it where the words are. */
  readonly text: string;
  readonly kind: RecallKind;
  /** Below the workspace. */
  readonly path: string;
  /** Counts from 1. */
  readonly line: number;
  /** null where it is not known. */
  readonly sessionKey: string | null;
  /** Who said it; "" for what nobody said. */
  readonly role: "user" | "assistant" | "";
  /** Epoch milliseconds; null where it is not known. */
  readonly atMs: number | null;
  /** It holds what strangers wrote, such as an attached file. */
  readonly isForeign: boolean;
}

/** What a search found. */
export interface RecallAnswer {
  /** Best first. */
  readonly hits: readonly RecallHit[];
  /** There are more behind them. */
  readonly hasMore: boolean;
  /** Older files are not looked through yet: the cache is being built. */
  readonly isPartial: boolean;
}

/** Paths of sessions' files that changed, or are gone, since the question before. */
export type TouchedFiles = readonly string[];

/** What is asked. */
export type RecallQuestion =
  | {
    readonly type: "search";
    readonly query: RecallQuery;
    readonly touched?: TouchedFiles;
    readonly replyTo: ReplyTo<RecallAnswer>;
  }
  | {
    readonly type: "remind";
    readonly reminder: Reminder;
    readonly touched?: TouchedFiles;
    readonly replyTo: ReplyTo<RecallAnswer>;
  };

/** A message to recall. */
export type RecallMessage =
  | RecallQuestion
  /** A session's file has changed, or is gone. */
  | { readonly type: "file_touched"; readonly path: string };

/** Nothing was found. */
export const NOTHING_FOUND: RecallAnswer = { hits: [], hasMore: false, isPartial: false };
