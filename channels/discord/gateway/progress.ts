/**
 * How far the platform was read: which session it is, which of its events need not come again, and
 * the newest message of each channel that counts.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type { JsonValue } from "../../../actors/kernel/json.ts";
import { ReadEvents } from "../../event_gateway/read_events.ts";
import { isOlder } from "../ids.ts";

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
  readonly events: ReadEvents;
  /** Where the session can be resumed. */
  #url = "";
  readonly #channels = new Map<string, ReadChannel>();
  #isBehind = false;

  /** @param stored what {@link toJson} gave */
  constructor(stored: JsonValue) {
    const cursor = cursorSchema.safeParse(stored);
    if (!cursor.success) {
      if (stored !== null) logger.warn("Cannot read how far Discord was read: beginning anew");
      this.events = new ReadEvents(null);
      return;
    }
    const { session, channels } = cursor.data;
    this.events = new ReadEvents(
      session === null ? null : { sessionId: session.id, sequence: session.sequence },
    );
    this.#url = session?.url ?? "";
    for (const { id, guild, parent, message } of channels) {
      const channel = { channelId: id, guildId: guild, parentId: parent, messageId: message };
      this.#channels.set(id, channel);
    }
  }

  /** Where the session is resumed; null when one must begin. */
  get resumeUrl(): string | null {
    return this.events.resumption === null ? null : this.#url;
  }

  /** The channels that count, with what was read of them. */
  get channels(): readonly ReadChannel[] {
    return [...this.#channels.values()];
  }

  /** A session began. What was said before it is not told of by itself. */
  begin(session: { readonly id: string; readonly url: string }, sequence: number): void {
    this.events.begin(session.id, sequence);
    this.#url = session.url;
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
    const { resumption } = this.events;
    const session = resumption === null || this.#isBehind
      ? null
      : { id: resumption.sessionId, url: this.#url, sequence: resumption.sequence };
    const channels = this.channels.map(({ channelId, guildId, parentId, messageId }) => ({
      id: channelId,
      guild: guildId,
      parent: parentId,
      message: messageId,
    }));
    return { session, channels };
  }
}
