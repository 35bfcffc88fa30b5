/**
 * Which part of a conversation is to be summed up: how much there is, and where it may be cut.
 * @module
 */

import { messageTokens } from "./governance.ts";
import type { StoredMessage } from "./session_file.ts";

/** Messages that are summed up at once: a longer stretch loses its details. */
export const CHUNK_MESSAGES_MAX = 60;
/** Newest messages that an idle conversation keeps word by word. */
export const SUFFIX_MESSAGES = 8;

/** Summing up begins at this share of the room, so that the next turn still fits. */
const TRIGGER_SHARE = 0.8;
/** And goes on until this share is left. */
const TARGET_SHARE = 0.5;
/** However much of the room the system prompt and the tools take, this is the conversation's. */
const TRIGGER_SHARE_MIN = 0.25;
const TARGET_SHARE_MIN = 0.1;

/** How many tokens of conversation are too many, and how many are to be left. */
export interface ConversationRoom {
  readonly trigger: number;
  readonly target: number;
}

/**
 * The room of a conversation in requests of `limit` tokens, of which `overhead` go to what is sent
 * with each.
 */
export function conversationRoom(limit: number, overhead: number): ConversationRoom {
  return {
    trigger: Math.floor(Math.max(limit * TRIGGER_SHARE - overhead, limit * TRIGGER_SHARE_MIN)),
    target: Math.floor(Math.max(limit * TARGET_SHARE - overhead, limit * TARGET_SHARE_MIN)),
  };
}

/** Tokens of the messages from `from` on; counting stops where there are more than `enough`. */
export function tokensFrom(
  messages: readonly StoredMessage[],
  from: number,
  enough: number = Infinity,
): number {
  let tokens = 0;
  for (let index = messages.length - 1; index >= from && tokens <= enough; index--) {
    tokens += tokensAt(messages, index);
  }
  return tokens;
}

/** Counts the tokens of a conversation that grows, each message once. */
export class GrowingCount {
  #messages: readonly StoredMessage[] = [];
  #from = 0;
  #to = 0;
  #tokens = 0;

  /** Whether the messages from `from` on have more than `enough` tokens. */
  isOver(messages: readonly StoredMessage[], from: number, enough: number): boolean {
    const goesOn = messages === this.#messages && from === this.#from;
    const known = goesOn ? this.#tokens : 0;
    const added = tokensFrom(messages, goesOn ? this.#to : from, enough - known);
    if (known + added > enough) return true; // perhaps not all of them were counted
    this.#messages = messages;
    this.#from = from;
    this.#to = Math.max(from, messages.length);
    this.#tokens = known + added;
    return false;
  }
}

/** What limits a chunk. */
export interface ChunkLimits {
  /** Its first message. */
  readonly from: number;
  /** It ends here at the latest, and may end here. */
  readonly limit: number;
  /** Tokens that it should take away. */
  readonly excess: number;
  /** Tokens that are summed up at once. */
  readonly tokensMax: number;
}

/**
 * Where the next chunk ends: at the user message with which enough is taken away, or at the last one
 * there is. A chunk is cut at an earlier one where it would be too long; a turn that is too long by
 * itself stays whole, as it would never be summed up otherwise. Null where it cannot be cut.
 */
export function chunkEnd(
  messages: readonly StoredMessage[],
  { from, limit, excess, tokensMax }: ChunkLimits,
): number | null {
  let end: number | null = null;
  let tokens = 0;
  const last = Math.min(limit, messages.length);
  for (let index = from; index < last; index++) {
    tokens += tokensAt(messages, index);
    const next = index + 1;
    if (next !== limit && messages[next]?.message.role !== "user") continue;
    const isTooLong = next - from > CHUNK_MESSAGES_MAX || tokens > tokensMax;
    if (end !== null && isTooLong) return end;
    end = next;
    if (isTooLong || tokens >= excess) return end;
  }
  return end;
}

/**
 * Where the newest messages begin that an idle conversation keeps: at a user message, with `count`
 * behind it or a few more; `from` where there is none to be found.
 */
export function suffixStart(
  messages: readonly StoredMessage[],
  from: number,
  count: number = SUFFIX_MESSAGES,
): number {
  for (let index = messages.length - count; index > from; index--) {
    if (messages[index]?.message.role === "user") return index;
  }
  return from;
}

/**
 * How far summing up may go beside a session: the newest turn, and one that is open, stay as they
 * are. `from` where there is nothing else.
 *
 * @param turnId of the open turn, if there is one
 */
export function settledEnd(
  messages: readonly StoredMessage[],
  from: number,
  turnId: string | undefined,
): number {
  let end = from;
  for (let index = messages.length - 1; index >= from; index--) {
    const stored = messages[index];
    if (end === from && stored?.message.role === "user") end = index;
    const isOpen = turnId !== undefined && stored?.lineId?.startsWith(`${turnId}:`) === true;
    if (isOpen && end > index) end = index;
    if (turnId === undefined && end > from) break;
  }
  return end;
}

function tokensAt(messages: readonly StoredMessage[], index: number): number {
  const stored = messages[index];
  return stored === undefined ? 0 : messageTokens(stored.message);
}
