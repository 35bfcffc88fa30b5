/**
 * What a message answers: the quoted words and files, and whose they are.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import type { InboundContents } from "../../channel.ts";
import { joinedLines } from "../../joined_lines.ts";
import type { Lookups } from "../lookups.ts";
import type { StoredMessage } from "../wire.ts";
import { readContent } from "./content.ts";
import { withNames } from "./mentions.ts";
import type { ReceivedMessage } from "./message.ts";
import { mapText } from "./parts.ts";
import type { People } from "./people.ts";
import type { Rendering } from "./rendering.ts";
import { withRetries } from "./retry.ts";

const logger = getLogger(["troupe", "feishu", "quotes"]);

/** Characters of quoted words. */
const WORDS_MAX = 200;
/** Characters of quoted cards and bundles, which say little in a few words. */
const DOCUMENT_CHARS_MAX = 2_000;
const CACHED_MAX = 500;
/** Places whose last answer, and topics whose root was quoted, are remembered. */
const PLACES_MAX = 2_000;

const NOTHING: InboundContents = { content: "", media: [] };

/** What quoting needs. */
export interface QuotesOptions {
  readonly lookups: Lookups;
  readonly people: People;
  readonly rendering: Pick<Rendering, "render">;
  readonly appId: string;
  readonly botOpenId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Finds what messages answer. */
export class Quotes {
  readonly #options: QuotesOptions;
  readonly #messages = new Map<string, Promise<StoredMessage | null>>();
  readonly #ownLast = new Map<string, readonly string[]>();
  readonly #quotedRoots = new Set<string>();

  constructor(options: QuotesOptions) {
    this.#options = options;
  }

  /**
   * Notes the bot's newest answer in a place: whoever answers that means what stands right before.
   *
   * @param place the topic, or the chat outside of topics
   */
  noteOwnAnswer(place: string, messageIds: readonly string[]): void {
    if (messageIds.length === 0) return;
    this.#ownLast.delete(place);
    keepNewest(this.#ownLast.set(place, messageIds), PLACES_MAX);
  }

  /** Whether a message quotes something that its conversation does not hold already. */
  isQuoting({ event: { message }, chatId }: ReceivedMessage): boolean {
    const { parent_id: parentId, root_id: rootId, thread_id: threadId } = message;
    if (parentId === "") return false;
    if (this.#ownLast.get(threadId || chatId)?.includes(parentId)) return false;
    // In a topic the platform names its first message as the one that is answered, each time.
    return threadId === "" || parentId !== rootId || !this.#quotedRoots.has(rootId);
  }

  /** The quoted words in brackets, and the quoted files; blank when there is nothing to quote. */
  async quoteOf(received: ReceivedMessage): Promise<InboundContents> {
    const { message } = received.event;
    if (!this.isQuoting(received)) return NOTHING;
    const quoted = await this.#messageOf(message.parent_id);
    if (quoted === null) return NOTHING;
    if (message.thread_id !== "" && message.parent_id === message.root_id) {
      this.#quotedRoots.add(message.root_id);
      keepNewest(this.#quotedRoots, PLACES_MAX);
    }
    return await this.#render(quoted, received);
  }

  async #render(quoted: StoredMessage, received: ReceivedMessage): Promise<InboundContents> {
    const groupId = received.isGroup ? received.chatId : "";
    const author = await this.#authorOf(quoted, received, groupId);
    const to = author === "" ? "Reply to" : `Reply to ${author}`;
    if (quoted.deleted) return { content: `[${to}: a message that was taken back]`, media: [] };
    const { msg_type: type, body, mentions, message_id: messageId } = quoted;
    const { botOpenId } = this.#options;
    const parts = mapText(
      readContent(type, body.content, mentions),
      (text) => withNames(text, mentions, botOpenId),
    );
    const { content, media } = await this.#options.rendering.render({ messageId, groupId, parts });
    const isDocument = type === "interactive" || type === "merge_forward";
    const words = shortened(content, isDocument ? DOCUMENT_CHARS_MAX : WORDS_MAX);
    return words === "" ? NOTHING : { content: `[${to}: ${words}]`, media };
  }

  /** Whose words they are; "" for the sender's own, and where nobody knows. */
  async #authorOf(
    { sender }: StoredMessage,
    received: ReceivedMessage,
    groupId: string,
  ): Promise<string> {
    const { appId, botOpenId, people } = this.#options;
    if (sender.id === appId || sender.id === botOpenId) return "you";
    if (sender.sender_type === "app") return "an app";
    if (sender.id === received.senderId) return "";
    return await people.nameOf(sender.id, groupId) || sender.id;
  }

  #messageOf(messageId: string): Promise<StoredMessage | null> {
    const known = this.#messages.get(messageId);
    if (known !== undefined) return known;
    const asking = this.#askFor(messageId);
    keepNewest(this.#messages.set(messageId, asking), CACHED_MAX);
    return asking;
  }

  async #askFor(messageId: string): Promise<StoredMessage | null> {
    const { lookups, clock, signal } = this.#options;
    try {
      const items = await withRetries(
        () => lookups.messages(messageId, signal),
        { clock, signal },
      );
      return items[0] ?? null;
    } catch (error) {
      this.#messages.delete(messageId);
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      logger.debug("Cannot read {messageId}, which is quoted: {reason}", { messageId, reason });
      return null;
    }
  }
}

/** On one line, and not longer than `charsMax` characters. */
function shortened(text: string, charsMax: number): string {
  const line = joinedLines(text).trim();
  const characters = [...line];
  return characters.length <= charsMax ? line : `${characters.slice(0, charsMax).join("")}...`;
}

function keepNewest(kept: Map<string, unknown> | Set<string>, max: number): void {
  const [oldest] = kept.keys();
  if (kept.size > max && oldest !== undefined) kept.delete(oldest);
}
