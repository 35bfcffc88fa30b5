/**
 * All chats: those that somebody follows or that something happens in are in memory, the others on
 * disk.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { KeyedTurns } from "../../keyed_turns.ts";
import { Chat, ENTRIES_MAX, type KeptChat } from "./chat.ts";
import type { Entry, EntryContents } from "./entry.ts";

const logger = getLogger(["troupe", "websocket", "chats"]);

/** Chats in memory that nobody follows. */
const IDLE_MAX = 32;
/** A file with so many more entries than are kept is written anew. */
const SPARE_ENTRIES = ENTRIES_MAX;

/** Where chats are kept. */
export interface ChatStore {
  read(chatId: string): Promise<KeptChat>;
  append(chatId: string, entry: Entry): Promise<void>;
  own(chatId: string, owner: string): Promise<void>;
  replace(chatId: string, kept: KeptChat): Promise<void>;
}

/** The chats of one channel. */
export class Chats {
  readonly #store: ChatStore;
  readonly #chats = new Map<string, Chat>();
  readonly #turns = new KeyedTurns();
  /** Entries in each file, as far as it was written or read. */
  readonly #filed = new Map<string, number>();

  constructor(store: ChatStore) {
    this.#store = store;
  }

  /** A chat that is in memory. */
  known(chatId: string): Chat | undefined {
    return this.#chats.get(chatId);
  }

  /**
   * Lets `work` have a chat; work in the same chat waits for each other.
   *
   * @throws what `work` or the store throws
   */
  async with<T>(chatId: string, work: (chat: Chat) => T | Promise<T>): Promise<T> {
    return await this.#turns.run(chatId, async () => {
      const chat = this.#chats.get(chatId) ?? await this.#read(chatId);
      this.#chats.delete(chatId);
      this.#chats.set(chatId, chat); // the latest last
      try {
        return await work(chat);
      } finally {
        this.#forgetIdle();
      }
    });
  }

  /** Adds to a chat that `with` lent; resolves when it is durable, and followers know of it. */
  async add(chat: Chat, contents: EntryContents): Promise<void> {
    await this.#store.append(chat.id, { ...contents, seq: chat.seq + 1 });
    chat.add(contents);
    const filed = (this.#filed.get(chat.id) ?? 0) + 1;
    this.#filed.set(chat.id, filed);
    if (filed >= ENTRIES_MAX + SPARE_ENTRIES) await this.#shorten(chat);
  }

  /** Gives a chat that is nobody's to a client. */
  async own(chat: Chat, owner: string): Promise<void> {
    await this.#store.own(chat.id, owner);
    chat.owner = owner;
  }

  async #read(chatId: string): Promise<Chat> {
    const kept = await this.#store.read(chatId);
    this.#filed.set(chatId, kept.entries.length);
    return new Chat(chatId, kept);
  }

  /** What is in the file beyond what is kept hurts nobody: a failure is tried again later. */
  async #shorten(chat: Chat): Promise<void> {
    try {
      await this.#store.replace(chat.id, chat);
      this.#filed.set(chat.id, chat.entries.length);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn("Cannot shorten what is kept of a chat: {reason}", { reason });
    }
  }

  #forgetIdle(): void {
    const idle = this.#chats.values().filter((chat) => chat.isIdle).toArray();
    for (const { id } of idle.slice(0, Math.max(0, idle.length - IDLE_MAX))) {
      this.#chats.delete(id);
      this.#filed.delete(id);
    }
  }
}
