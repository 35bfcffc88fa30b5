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
  /** Requests of this size were too long for the model; in tokens, null when none was. */
  inputTokensMax: number | null = null;
  #contextTokens = 0;

  constructor(waiting: WaitingNotes) {
    this.waiting = waiting;
  }

  /** Tokens that the conversation took up at the newest model call; 0 when it is not known. */
  get contextTokens(): number {
    return this.#contextTokens;
  }

  /** A model call told what it used. */
  count(usage: Usage): void {
    this.#contextTokens = usage.promptTokens + usage.completionTokens;
  }

  /** The conversation began anew. */
  forgetConversation(): void {
    this.reads.clear();
    this.#contextTokens = 0;
    this.inputTokensMax = null;
  }
}
