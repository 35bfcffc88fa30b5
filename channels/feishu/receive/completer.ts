/**
 * What accepted messages lack: what they quote, what came with them, who speaks. A message that
 * needs none of that is complete at once; any other is a draft until everything is fetched.
 * @module
 */

import { z } from "zod";
import { asJson, type JsonObject } from "../../../actors/kernel/json.ts";
import type { InboundContents } from "../../channel.ts";
import type { Incomplete } from "../../drafts.ts";
import { lateNote } from "../../lateness.ts";
import { messageEventSchema } from "../wire.ts";
import { commandIn, readMessage, type ReceivedMessage } from "./message.ts";
import { plainText } from "./parts.ts";
import type { People } from "./people.ts";
import type { Quotes } from "./quotes.ts";
import type { Rendering } from "./rendering.ts";

/** Stands for what a person says by an answer that only mentions the bot. */
const NO_WORDS = "(only mentions you)";

/** What completing needs. */
export interface CompleterOptions {
  readonly botOpenId: string;
  readonly people: People;
  readonly quotes: Quotes;
  readonly rendering: Rendering;
}

/** What a draft is completed from. */
const draftSchema = z.object({ event: messageEventSchema, lateMs: z.number().catch(0) });

/** Completes messages of one app. */
export class Completer {
  readonly #options: CompleterOptions;

  constructor(options: CompleterOptions) {
    this.#options = options;
  }

  /** The contents of a message that needs nothing fetched; null for one that becomes a draft. */
  contentsAtOnce(received: ReceivedMessage, lateMs: number): InboundContents | null {
    const command = commandIn(received);
    if (command !== null) return { content: command, media: [] };
    const { people, quotes, rendering } = this.#options;
    const { parts, isGroup, senderId, chatId } = received;
    const isReady = rendering.isReady(parts) && !quotes.isQuoting(received) &&
      !(isGroup && people.isWorthAsking(senderId, chatId));
    if (!isReady) return null;
    const text = plainText(parts);
    return { content: this.#compose(received, { quote: "", text, lateMs }), media: [] };
  }

  /** What a draft keeps of its event. */
  draftOf({ event }: ReceivedMessage, lateMs: number): JsonObject {
    return asJson({ event: { ...event }, lateMs });
  }

  /** What a draft lacks; null for what is no draft. */
  read(draft: JsonObject): Incomplete | null {
    const parsed = draftSchema.safeParse(draft).data;
    if (parsed === undefined) return null;
    const { event, lateMs } = parsed;
    const received = readMessage(event, this.#options.botOpenId);
    const text = plainText(received.parts);
    return {
      fetch: () => this.#fetch(received, lateMs),
      bare: () => ({ content: this.#compose(received, { quote: "", text, lateMs }), media: [] }),
    };
  }

  async #fetch(received: ReceivedMessage, lateMs: number): Promise<InboundContents> {
    const { people, quotes, rendering } = this.#options;
    const { event, parts, isGroup, senderId, chatId } = received;
    const groupId = isGroup ? chatId : "";
    const [quote, own] = await Promise.all([
      quotes.quoteOf(received),
      rendering.render({ messageId: event.message.message_id, groupId, parts }),
      isGroup ? people.nameOf(senderId, chatId) : "",
    ]);
    const content = this.#compose(received, { quote: quote.content, text: own.content, lateMs });
    return { content, media: [...new Set([...quote.media, ...own.media])] };
  }

  #compose(
    received: ReceivedMessage,
    { quote, text, lateMs }: {
      readonly quote: string;
      readonly text: string;
      readonly lateMs: number;
    },
  ): string {
    const late = lateNote(lateMs);
    const words = text || NO_WORDS;
    const said = received.isGroup ? `${this.#speakerOf(received)}: ${words}` : words;
    return [quote, late, said].filter((line) => line !== "").join("\n").trim();
  }

  /** With the id, by which the person can be mentioned. */
  #speakerOf({ senderId }: ReceivedMessage): string {
    const name = this.#options.people.knownName(senderId);
    return name === "" ? senderId : `${name} (${senderId})`;
  }
}
