/**
 * Which channels are threads of which others. The platform tells of most by event; others are
 * asked for once.
 * @module
 */

import type { DiscordApi } from "../api.ts";
import { DiscordRefusedError, isPassing } from "../errors.ts";
import type { Place } from "../wire.ts";

/** Threads of announcements, public and private ones. */
const THREAD_TYPES: ReadonlySet<number> = new Set([10, 11, 12]);
/** Those that nobody wrote in for longest are asked for again. */
const KNOWN_MAX = 10_000;

/** Where a message stands. */
export interface Whereabouts {
  /** The channel, or the one that the thread belongs to. */
  readonly chatId: string;
  /** Null outside of threads. */
  readonly threadId: string | null;
}

/** The places that are known. */
export class Places {
  readonly #api: Pick<DiscordApi, "place">;
  /** By channel: the one that it is a thread of, or null. */
  readonly #parents = new Map<string, string | null>();

  constructor(api: Pick<DiscordApi, "place">) {
    this.#api = api;
  }

  /** Notes what the platform told. */
  learn(places: readonly Place[]): void {
    for (const { id, type, parent_id: parentId } of places) {
      this.note(id, THREAD_TYPES.has(type) ? parentId : null);
    }
  }

  /** Notes a channel, and what it is a thread of. */
  note(channelId: string, parentId: string | null): void {
    this.#parents.delete(channelId);
    this.#parents.set(channelId, parentId);
    const [oldest] = this.#parents.keys();
    if (this.#parents.size > KNOWN_MAX && oldest !== undefined) this.#parents.delete(oldest);
  }

  /**
   * Where a channel of a server is.
   *
   * @throws when the platform cannot be asked just now
   */
  async find(channelId: string, signal: AbortSignal): Promise<Whereabouts> {
    const known = this.#parents.get(channelId);
    if (known === undefined) await this.#ask(channelId, signal);
    const parentId = this.#parents.get(channelId) ?? null;
    return parentId === null
      ? { chatId: channelId, threadId: null }
      : { chatId: parentId, threadId: channelId };
  }

  /** A channel that the bot may not look at is taken for one of its own. */
  async #ask(channelId: string, signal: AbortSignal): Promise<void> {
    try {
      this.learn([await this.#api.place(channelId, signal)]);
    } catch (error) {
      if (!(error instanceof DiscordRefusedError) || isPassing(error)) throw error;
      this.note(channelId, null);
    }
  }
}
