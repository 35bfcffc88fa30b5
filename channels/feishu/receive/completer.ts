/**
 * What accepted messages lack: what they quote, what came with them, who speaks. A message that
 * needs none of that is complete at once; any other is a draft until everything is fetched.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import { asJson, type JsonObject } from "../../../actors/kernel/json.ts";
import type { InboundContents } from "../../channel.ts";
import { messageEventSchema } from "../wire.ts";
import { durationText } from "../../lateness.ts";
import { commandIn, readMessage, type ReceivedMessage } from "./message.ts";
import { plainText } from "./parts.ts";
import type { People } from "./people.ts";
import type { Quotes } from "./quotes.ts";
import type { Rendering } from "./rendering.ts";

const logger = getLogger(["troupe", "feishu", "completer"]);

/** Stands for what a person says by an answer that only mentions the bot. */
const NO_WORDS = "(only mentions you)";

/** What completing needs. */
export interface CompleterOptions {
  readonly botOpenId: string;
  readonly people: People;
  readonly quotes: Quotes;
  readonly rendering: Rendering;
  readonly signal: AbortSignal;
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

  /** What a draft lacked. A message that cannot be completed is handed on as far as it can be read. */
  async contentsOf(platformId: string, draft: JsonObject): Promise<InboundContents> {
    const parsed = draftSchema.safeParse(draft);
    if (!parsed.success) {
      logger.error("Cannot read the draft of {platformId}", { platformId });
      return { content: "[message]", media: [] };
    }
    const { event, lateMs } = parsed.data;
    const received = readMessage(event, this.#options.botOpenId);
    try {
      return await this.#fetch(received, lateMs);
    } catch (error) {
      this.#options.signal.throwIfAborted();
      logger.error("Cannot complete {platformId}: {error}", { platformId, error });
      const text = plainText(received.parts);
      return { content: this.#compose(received, { quote: "", text, lateMs }), media: [] };
    }
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
    const late = lateMs === 0 ? "" : `[sent ${durationText(lateMs)} ago, delivered late]`;
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
