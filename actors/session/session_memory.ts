/**
 * What a session knows while it is awake, and forgets when it sleeps.
 * @module
 */

import type { Usage } from "../../providers/provider.ts";
import type { WaitingNotes } from "./waiting_notes.ts";

/** Shared by the turns and commands of one session. */
export class SessionMemory {
  /** What its tools have read, so that edits can warn. */
  readonly reads: Map<string, string> = new Map();
  /** Seqs of inbounds that were taken back while they waited: no turn begins with them. */
  readonly withdrawn: Set<number> = new Set();
  /** What people know of messages that wait. */
  readonly waiting: WaitingNotes;
  #turnUsage: Usage | null = null;
  #contextTokens = 0;

  constructor(waiting: WaitingNotes) {
    this.waiting = waiting;
  }

  /** Tokens of the newest turn, all its model calls together; null when no call told any. */
  get turnUsage(): Usage | null {
    return this.#turnUsage;
  }

  /** Tokens that the conversation took up at the newest model call; 0 when it is not known. */
  get contextTokens(): number {
    return this.#contextTokens;
  }

  /** A turn begins to count. */
  beginTurn(): void {
    this.#turnUsage = null;
  }

  /** A model call of the turn told what it used. */
  count(usage: Usage): void {
    this.#turnUsage = sum(this.#turnUsage, usage);
    this.#contextTokens = usage.promptTokens + usage.completionTokens;
  }

  /** The conversation began anew. */
  forgetConversation(): void {
    this.reads.clear();
    this.#turnUsage = null;
    this.#contextTokens = 0;
  }
}

function sum(before: Usage | null, more: Usage): Usage {
  if (before === null) return more;
  const cachedTokens = sumKnown(before.cachedTokens, more.cachedTokens);
  const reasoningTokens = sumKnown(before.reasoningTokens, more.reasoningTokens);
  return {
    promptTokens: before.promptTokens + more.promptTokens,
    completionTokens: before.completionTokens + more.completionTokens,
    totalTokens: before.totalTokens + more.totalTokens,
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}

function sumKnown(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
