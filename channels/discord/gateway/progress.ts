/**
 * How far the platform was read: which session it is, which of its events need not come again, and
 * the newest message of each channel that counts.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type { JsonValue } from "../../../actors/kernel/json.ts";
import { isOlder } from "../ids.ts";
import type { Resumption } from "./session.ts";

const logger = getLogger(["troupe", "discord", "progress"]);

/** Channels that are looked after; those that were silent longest are left out. */
const CHANNELS_MAX = 200;

/** A channel in which somebody spoke to the bot. */
export interface ReadChannel {
  readonly channelId: string;
  readonly guildId: string | null;
  /** The channel that it is a thread of; null when it is none. */
  readonly parentId: string | null;
  /** The newest message that need not come again. */
  readonly messageId: string;
}

const cursorSchema = z.object({
  session: z.object({ id: z.string(), url: z.string(), sequence: z.number() }).nullable(),
  channels: z.array(z.object({
    id: z.string(),
    guild: z.string().nullable(),
    parent: z.string().nullable(),
    message: z.string(),
  })),
});

/** Where an earlier run or connection stopped. */
export class Progress {
  /** The session's id and where to resume it; null when there is none to resume. */
  #session: { readonly id: string; readonly url: string } | null = null;
  #newest = 0;
  /** Events that are being handed in. */
  readonly #open = new Set<number>();
  readonly #channels = new Map<string, ReadChannel>();
  #isBehind = false;

  /** @param stored what {@link toJson} gave */
  constructor(stored: JsonValue) {
    const cursor = cursorSchema.safeParse(stored);
    if (!cursor.success) {
      if (stored !== null) logger.warn("Cannot read how far Discord was read: beginning anew");
      return;
    }
    const { session, channels } = cursor.data;
    if (session !== null) {
      this.#session = session;
      this.#newest = session.sequence;
    }
    for (const { id, guild, parent, message } of channels) {
      const channel = { channelId: id, guildId: guild, parentId: parent, messageId: message };
      this.#channels.set(id, channel);
    }
  }

  /** Where to go on; null when a session must begin. */
  get resumption(): Resumption | null {
    if (this.#session === null) return null;
    const { id: sessionId, url } = this.#session;
    return { sessionId, url, sequence: this.sequence };
  }

  /** The last event that need not come again, nor any before it. */
  get sequence(): number {
    return this.#open.size === 0 ? this.#newest : Math.min(...this.#open) - 1;
  }

  /** The channels that count, with what was read of them. */
  get channels(): readonly ReadChannel[] {
    return [...this.#channels.values()];
  }

  /** A session began. What was said before it is not told of by itself. */
  begin(session: { readonly id: string; readonly url: string }, sequence: number): void {
    this.#session = session;
    this.#open.clear();
    this.#newest = sequence;
    this.#isBehind = true;
  }

  /** What was said before the session began has not been looked for yet. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** It has been. */
  caughtUp(): void {
    this.#isBehind = false;
  }

  /** There is no session to resume. */
  endSession(): void {
    this.#session = null;
    this.#open.clear();
    this.#newest = 0;
  }

  /** What is not taken yet comes again. */
  rewind(): void {
    this.#newest = this.sequence;
    this.#open.clear();
  }

  /** An event came. @returns what says that it need not come again */
  open(sequence: number): () => void {
    const session = this.#session;
    this.#newest = Math.max(this.#newest, sequence);
    this.#open.add(sequence);
    return () => {
      // Another session counts anew.
      if (session === this.#session) this.#open.delete(sequence);
    };
  }

  /** A message of a channel that counts need not come again, nor any before it. */
  read(channel: ReadChannel): void {
    const known = this.#channels.get(channel.channelId);
    if (known !== undefined && !isOlder(known.messageId, channel.messageId)) return;
    this.#channels.delete(channel.channelId);
    this.#channels.set(channel.channelId, channel);
    const [silent] = this.#channels.keys();
    if (this.#channels.size > CHANNELS_MAX && silent !== undefined) this.#channels.delete(silent);
  }

  /** As it is stored. A session in which something is still looked for would hide that. */
  toJson(): JsonValue {
    const session = this.#session === null || this.#isBehind
      ? null
      : { ...this.#session, sequence: this.sequence };
    const channels = this.channels.map(({ channelId, guildId, parentId, messageId }) => ({
      id: channelId,
      guild: guildId,
      parent: parentId,
      message: messageId,
    }));
    return { session, channels };
  }
}
