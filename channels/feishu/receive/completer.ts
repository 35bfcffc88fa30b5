/**
 * Completes accepted messages: what they quote, what came with them, who speaks. A message that
 * needs none of that is complete at once; any other is a draft until everything is fetched.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import { type Clock, sleep } from "../../../actors/kernel/clock.ts";
import { asJson, type JsonObject } from "../../../actors/kernel/json.ts";
import type { ChannelInbound, InboundContents } from "../../channel.ts";
import { messageEventSchema } from "../wire.ts";
import { untilAborted } from "../../../actors/kernel/aborting.ts";
import { durationText } from "./lateness.ts";
import { Limiter } from "../../media/limiter.ts";
import { commandIn, readMessage, type ReceivedMessage } from "./message.ts";
import { plainText } from "./parts.ts";
import type { People } from "./people.ts";
import type { Quotes } from "./quotes.ts";
import type { Rendering } from "./rendering.ts";

const logger = getLogger(["troupe", "feishu", "completer"]);

/** Messages that are being completed at the same time; the others wait. */
const AT_ONCE_MAX = 32;
/** The journal did not take a completed message: waits before the next attempts. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** Stands for what a person says by an answer that only mentions the bot. */
const NO_WORDS = "(only mentions you)";

/** What completing needs. */
export interface CompleterOptions {
  readonly botOpenId: string;
  readonly people: People;
  readonly quotes: Quotes;
  readonly rendering: Rendering;
  /** Makes a completed draft durable. */
  readonly store: (platformId: string, contents: InboundContents) => Promise<void>;
  /** Drafts that wait, oldest first, by pages. */
  readonly drafts: () => Promise<readonly ChannelInbound[]>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What a draft is completed from. */
const draftSchema = z.object({ event: messageEventSchema, lateMs: z.number().catch(0) });

/** Completes messages of one app. */
export class Completer {
  readonly #options: CompleterOptions;
  readonly #limiter = new Limiter(AT_ONCE_MAX);
  readonly #underWay = new Set<string>();

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

  /** Completes a draft; resolves when it is durable, or the channel stops. */
  async complete({ platformId, draft }: ChannelInbound): Promise<void> {
    if (draft === undefined || this.#underWay.has(platformId)) return;
    this.#underWay.add(platformId);
    try {
      const contents = await this.#limiter.run(() => this.#contentsOf(platformId, draft));
      await this.#store(platformId, contents);
    } catch (error) {
      if (this.#options.signal.aborted) return;
      throw error;
    } finally {
      this.#underWay.delete(platformId);
    }
  }

  /** Completes what an earlier run of the channel left. */
  async completeLeftovers(): Promise<void> {
    const seen = new Set<string>();
    for (;;) {
      const { drafts: ask, signal } = this.#options;
      const drafts = (await untilAborted(ask(), signal))
        .filter(({ platformId }) => !seen.has(platformId) && !this.#underWay.has(platformId));
      if (drafts.length === 0) return;
      logger.info("Completing {count} messages that were accepted earlier", {
        count: drafts.length,
      });
      for (const { platformId } of drafts) seen.add(platformId);
      await Promise.all(drafts.map((draft) => this.complete(draft)));
    }
  }

  /** A message that cannot be completed is handed on as far as it can be read. */
  async #contentsOf(platformId: string, draft: JsonObject): Promise<InboundContents> {
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

  async #store(platformId: string, contents: InboundContents): Promise<void> {
    const { store, clock, signal } = this.#options;
    for (let waitMs = FIRST_WAIT_MS;; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        return await untilAborted(store(platformId, contents), signal);
      } catch (error) {
        signal.throwIfAborted();
        const reason = error instanceof Error ? error.message : String(error);
        logger.error("Cannot store {platformId}, trying again in {waitMs} ms: {reason}", {
          platformId,
          waitMs,
          reason,
        });
        await sleep(clock, waitMs, signal);
      }
    }
  }
}
