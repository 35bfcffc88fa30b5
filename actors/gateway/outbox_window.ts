/**
 * Which rows of a long queue an outbox holds in memory. The rest waits in the journal and is read
 * when there is room: for all chats in the order of ids, for a chat with many rows by itself, so
 * that one chat that cannot be reached never fills the window.
 * @module
 */

import type { Outbound, OutboxWindow as OutboxQuery } from "../journal/journal.ts";

/** Rows held in memory. */
const ROWS_MAX = 2_000;
/** Rows of one chat held in memory; they go out one after the other anyway. */
const CHAT_ROWS_MAX = 16;

/** What is known of a chat's rows in memory. */
interface ChatRows {
  rows: number;
  /** The highest id in memory, now or before. */
  lastId: number;
  /** More of them wait in the journal, above `lastId`. */
  hasMore: boolean;
}

/** A row as far as its place in the queue goes. */
type Row = Pick<Outbound, "id" | "key" | "chatId">;

/**
 * What became of a row that was told of. entered: it is in memory now; known: it was already;
 * later: it will be read when there is room; behind: later ones were told before it, so that only
 * the journal knows whether it was sent meanwhile.
 */
export type Taken = "entered" | "known" | "later" | "behind";

/** A read of the journal that is under way. */
interface Reading {
  readonly query: OutboxQuery;
  /** Something came meanwhile that the read may have missed. */
  isStale: boolean;
}

/** The window of one channel. */
export class OutboxWindow {
  readonly #channel: string;
  readonly #chatOf = new Map<string, string>();
  readonly #chats = new Map<string, ChatRows>();
  /** Rows up to it were read, other than those of chats with more in the journal. */
  #readToId = 0;
  /** Rows above it may wait in the journal. */
  #mayMiss = true;
  #reading: Reading | undefined;

  constructor(channel: string) {
    this.#channel = channel;
  }

  /** Rows in memory. */
  get size(): number {
    return this.#chatOf.size;
  }

  /** The chat of a row in memory. */
  chatOf(key: string): string | undefined {
    return this.#chatOf.get(key);
  }

  /** Takes a row that was just committed. */
  take(row: Row): Taken {
    if (this.#chatOf.has(row.key)) return "known";
    if (row.id <= this.#readToId && !this.#isUnread(row)) return "behind";
    if (this.#reading?.query.chatId === row.chatId) this.#reading.isStale = true;
    if (this.#chats.get(row.chatId)?.hasMore) return "later";
    if (this.#mayMiss || this.#reading !== undefined || this.size >= ROWS_MAX) {
      this.#mayMiss = true;
      return "later";
    }
    return this.#enter(row) ? "entered" : "later";
  }

  /**
   * Takes a row that is out of the order of all chats; false when it is in memory already, or will
   * be read with those of its chat that wait before it.
   */
  takeAgain(row: Row): boolean {
    if (row.id > this.#readToId) this.#mayMiss = true;
    else if (!this.#isUnread(row)) return this.#addNew(row);
    return false;
  }

  /** A row is done. */
  leave(key: string): void {
    const chatId = this.#chatOf.get(key);
    if (chatId === undefined) return;
    this.#chatOf.delete(key);
    const chat = this.#chats.get(chatId);
    if (chat === undefined) return;
    chat.rows--;
    if (chat.rows === 0 && !chat.hasMore) this.#chats.delete(chatId);
  }

  /** Something may wait in the journal that was not told. */
  miss(): void {
    this.#mayMiss = true;
    if (this.#reading !== undefined) this.#reading.isStale = true;
  }

  /** What to read now, if anything; `arrived` or `failed` must follow. */
  nextQuery(): OutboxQuery | undefined {
    if (this.#reading !== undefined) return undefined;
    const query = this.#chatQuery() ?? this.#queryOfAll();
    if (query !== undefined) this.#reading = { query, isStale: false };
    return query;
  }

  /** Takes what a read gave; gives the rows that are in memory now and were not before. */
  arrived<R extends Row>(rows: readonly R[]): R[] {
    const reading = this.#reading;
    if (reading === undefined) return [];
    this.#reading = undefined;
    const { query, isStale } = reading;
    const hasMore = isStale || rows.length >= query.limit;
    if (query.chatId === undefined) {
      this.#mayMiss ||= hasMore;
      this.#readToId = Math.max(this.#readToId, rows.at(-1)?.id ?? 0);
      return rows.filter((row) => this.#enter(row));
    }
    const chat = this.#chats.get(query.chatId);
    if (chat !== undefined) chat.hasMore = hasMore;
    const entered = rows.filter((row) => this.#addNew(row));
    if (chat !== undefined && chat.rows === 0 && !hasMore) this.#chats.delete(query.chatId);
    return entered;
  }

  /** A read failed: what it was for still waits. */
  failed(): void {
    if (this.#reading?.query.chatId === undefined) this.#mayMiss = true;
    this.#reading = undefined;
  }

  #chatQuery(): OutboxQuery | undefined {
    for (const [chatId, { rows, hasMore, lastId }] of this.#chats) {
      if (!hasMore || rows > CHAT_ROWS_MAX / 2) continue;
      return { channel: this.#channel, chatId, afterId: lastId, limit: CHAT_ROWS_MAX - rows };
    }
    return undefined;
  }

  #queryOfAll(): OutboxQuery | undefined {
    if (!this.#mayMiss || this.size > ROWS_MAX / 2) return undefined;
    this.#mayMiss = false;
    return {
      channel: this.#channel,
      afterId: this.#readToId,
      limit: ROWS_MAX - this.size,
      withoutChats: [...this.#chats].flatMap(([chatId, { hasMore }]) => hasMore ? [chatId] : []),
    };
  }

  /** Adds a row in the order of ids; false when its chat has enough, or it is there. */
  #enter(row: Row): boolean {
    this.#readToId = Math.max(this.#readToId, row.id);
    if (this.#chatOf.has(row.key)) return false;
    const chat = this.#chats.get(row.chatId);
    if (chat !== undefined && chat.rows >= CHAT_ROWS_MAX) {
      chat.hasMore = true;
      return false;
    }
    this.#add(row);
    return true;
  }

  /** It waits in the journal behind others of its chat, and is read with them. */
  #isUnread({ id, chatId }: Row): boolean {
    const chat = this.#chats.get(chatId);
    return chat !== undefined && chat.hasMore && id > chat.lastId;
  }

  #addNew(row: Row): boolean {
    if (this.#chatOf.has(row.key)) return false;
    this.#add(row);
    return true;
  }

  #add({ id, key, chatId }: Row): void {
    const chat = this.#chats.get(chatId) ?? { rows: 0, lastId: 0, hasMore: false };
    chat.rows++;
    chat.lastId = Math.max(chat.lastId, id);
    this.#chats.set(chatId, chat);
    this.#chatOf.set(key, chatId);
  }
}
