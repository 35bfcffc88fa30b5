/**
 * What a session knows while it is awake, and forgets when it sleeps.
 * @module
 */

import type { SystemMessage, Usage } from "../../providers/provider.ts";
import type { Inbound } from "../journal/journal.ts";
import { RequestView } from "./request_view.ts";
import type { WaitingNotes } from "./waiting_notes.ts";

/** Estimates are off by less; more would be a fault of who counts. */
const TOKENS_PER_ESTIMATE_MAX = 3;
const TOKENS_PER_ESTIMATE_MIN = 0.6;
/** A text that turns out shorter than estimated is believed by this share at a time. */
const LEARNING_SHARE = 0.3;

/** Shared by the turns and commands of one session. */
export class SessionMemory {
  /** What its tools have read, so that edits can warn. */
  readonly reads: Map<string, string> = new Map();
  /** Seqs of inbounds that were taken back while they waited: no turn begins with them. */
  readonly withdrawn: Set<number> = new Set();
  /** What people know of messages that wait. */
  readonly waiting: WaitingNotes;
  /** Estimated tokens that each request has besides the conversation; 0 when it is not known. */
  overheadTokens = 0;
  /** How the conversation was shortened for the newest request. */
  view: RequestView = new RequestView();
  #contextTokens = 0;
  #system: SystemMessage | undefined;
  /** What a request may take up since one was too long; null when none was. */
  #smallerMax: number | null = null;
  /** How many tokens one of our estimates has proved to be. */
  #tokensPerEstimate = 1;

  constructor(waiting: WaitingNotes) {
    this.waiting = waiting;
  }

  /**
   * Without what was taken back while it was read: the journal has that stopped, or soon will. No
   * `await` may stand between this and the step that takes the rest, or one taken back meanwhile
   * begins all the same.
   */
  notWithdrawn<T extends { readonly inbound: Pick<Inbound, "seq"> }>(
    read: readonly T[],
  ): readonly T[] {
    return read.filter(({ inbound }) => !this.withdrawn.has(inbound.seq));
  }

  /** Tokens that the conversation took up at the newest model call; 0 when it is not known. */
  get contextTokens(): number {
    return this.#contextTokens;
  }

  /** The prompt as a message; the same one as before while it says the same. */
  systemMessage(text: string): SystemMessage {
    if (this.#system?.content !== text) this.#system = { role: "system", content: text };
    return this.#system;
  }

  /**
   * What the next request may take up, by our estimates, when the settings allow `budget` tokens;
   * null is no limit.
   */
  requestLimit(budget: number | null): number | null {
    if (budget === null) return this.#smallerMax;
    const limit = Math.floor(budget / this.#tokensPerEstimate);
    return Math.min(limit, this.#smallerMax ?? limit);
  }

  /** A request of `estimate` tokens was what fitted, after a longer one had not. */
  foundSmaller(estimate: number): void {
    this.#smallerMax = estimate;
  }

  /**
   * The model counted `tokens` where we had estimated `estimate`. That it is more is believed at
   * once, as a request that is too long fails; that it is less only by and by.
   */
  learn(tokens: number, estimate: number): void {
    const share = estimate > 0 ? tokens / estimate : 1;
    const bounded = Math.min(Math.max(share, TOKENS_PER_ESTIMATE_MIN), TOKENS_PER_ESTIMATE_MAX);
    const more = bounded - this.#tokensPerEstimate;
    this.#tokensPerEstimate += more > 0 ? more : more * LEARNING_SHARE;
  }

  /** A model call told what it used. */
  count(usage: Usage): void {
    this.#contextTokens = usage.promptTokens + usage.completionTokens;
  }

  /** The conversation began anew. */
  forgetConversation(): void {
    this.reads.clear();
    this.view = new RequestView();
    this.#contextTokens = 0;
    this.#smallerMax = null;
    this.#tokensPerEstimate = 1;
  }
}
