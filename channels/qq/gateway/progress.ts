/**
 * How far the platform was read, and which chats are no chats with one person: their ids do not
 * tell, but where an answer is sent depends on it.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type { JsonValue } from "../../../actors/kernel/json.ts";
import { ReadEvents } from "../../event_gateway/read_events.ts";
import type { Chat } from "../send/place.ts";

const logger = getLogger(["troupe", "qq", "progress"]);

/** Chats that are remembered; those that were silent longest are forgotten. */
const CHATS_MAX = 500;

const cursorSchema = z.object({
  session: z.object({ id: z.string(), sequence: z.number() }).nullable(),
  chats: z.array(z.object({
    id: z.string(),
    kind: z.enum(["group", "direct"]),
    guild: z.string(),
  })),
});

/** Where an earlier run or connection stopped. */
export class Progress {
  readonly events: ReadEvents;
  readonly #chats = new Map<string, Chat>();

  /** @param stored what {@link toJson} gave */
  constructor(stored: JsonValue) {
    const cursor = cursorSchema.safeParse(stored).data;
    if (cursor === undefined && stored !== null) {
      logger.warn("Cannot read how far QQ was read: beginning anew");
    }
    const session = cursor?.session ?? null;
    this.events = new ReadEvents(
      session === null ? null : { sessionId: session.id, sequence: session.sequence },
    );
    for (const { id, kind, guild } of cursor?.chats ?? []) {
      this.#chats.set(id, { kind, guildId: guild });
    }
  }

  /** What is known of a chat; undefined for one with one person. */
  chat(chatId: string): Chat | undefined {
    return this.#chats.get(chatId);
  }

  /** Somebody wrote in a chat. */
  noteChat(chatId: string, chat: Chat): void {
    this.#chats.delete(chatId);
    if (chat.kind === "c2c") return;
    this.#chats.set(chatId, chat);
    const [silent] = this.#chats.keys();
    if (this.#chats.size > CHATS_MAX && silent !== undefined) this.#chats.delete(silent);
  }

  /** As it is stored. */
  toJson(): JsonValue {
    const { resumption } = this.events;
    return {
      session: resumption === null
        ? null
        : { id: resumption.sessionId, sequence: resumption.sequence },
      chats: [...this.#chats].map(([id, { kind, guildId }]) => ({ id, kind, guild: guildId })),
    };
  }
}
