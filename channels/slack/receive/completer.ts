/**
 * What accepted messages lack: names of people, files, and what was said before in a thread that
 * the bot comes into. A message that lacks none of that is complete at once.
 * @module
 */

import { z } from "zod";
import { asJson, type JsonObject } from "../../../actors/kernel/json.ts";
import type { InboundContents } from "../../channel.ts";
import type { Incomplete } from "../../drafts.ts";
import { lateNote } from "../../lateness.ts";
import { messageSchema, type SlackAttachment } from "../wire.ts";
import type { Files } from "./files.ts";
import { commandIn, type ConversationRules, readMessage, type ReceivedMessage } from "./message.ts";
import type { People } from "./people.ts";
import { peopleIn, readableText } from "./text.ts";
import type { ThreadPast } from "./thread_past.ts";

/** Stands for what a person says by a message that only mentions the bot. */
const NO_WORDS = "(only mentions you)";
/** Characters of a message that was passed on. */
const SHARED_CHARS_MAX = 2_000;

/** What completing needs. */
export interface CompleterOptions extends ConversationRules {
  readonly people: People;
  readonly files: Pick<Files, "render">;
  readonly past: Pick<ThreadPast, "isWorthReading" | "textFor">;
}

/** What a draft is completed from. */
const draftSchema = z.object({
  message: messageSchema,
  lateMs: z.number().catch(0),
  isNewThread: z.boolean().catch(false),
});

/** What a draft kept. */
type Draft = z.output<typeof draftSchema>;

/** What surrounds a message's own words. */
interface Surroundings {
  readonly past: string;
  readonly files: string;
  readonly lateMs: number;
}

const NONE: Surroundings = { past: "", files: "", lateMs: 0 };

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
    const { people, past } = this.#options;
    const isReady = received.message.files.length === 0 && !past.isWorthReading(received) &&
      !this.#peopleOf(received).some((userId) => people.isWorthAsking(userId));
    return isReady ? { content: this.#compose(received, { ...NONE, lateMs }), media: [] } : null;
  }

  /** What a draft keeps of its message. */
  draftOf(received: ReceivedMessage, lateMs: number): JsonObject {
    const isNewThread = this.#options.past.isWorthReading(received);
    return asJson({ message: { ...received.message }, lateMs, isNewThread });
  }

  /** What a draft lacks; null for what is no draft. */
  read(platformId: string, draft: JsonObject): Incomplete | null {
    const parsed = draftSchema.safeParse(draft).data;
    if (parsed === undefined) return null;
    const received = readMessage(parsed.message, this.#options);
    const { lateMs } = parsed;
    return {
      fetch: () => this.#fetch(platformId, parsed, received),
      bare: () => ({ content: this.#compose(received, { ...NONE, lateMs }), media: [] }),
    };
  }

  async #fetch(
    platformId: string,
    { message, lateMs, isNewThread }: Draft,
    received: ReceivedMessage,
  ): Promise<InboundContents> {
    const { people, files, past } = this.#options;
    const [before, attached] = await Promise.all([
      isNewThread ? past.textFor(received) : "",
      files.render(platformId, message.files),
      people.learn(this.#peopleOf(received)),
    ]);
    const surroundings = { past: before, files: attached.content, lateMs };
    return { content: this.#compose(received, surroundings), media: attached.media };
  }

  /** In a direct chat the speaker needs no name. */
  #peopleOf({ message, isDirect, words }: ReceivedMessage): readonly string[] {
    const called = peopleIn(words);
    return isDirect ? called : [message.user, ...called];
  }

  #compose(received: ReceivedMessage, { past, files, lateMs }: Surroundings): string {
    const { message, isDirect } = received;
    const nameOf = (userId: string): string => this.#options.people.knownName(userId);
    const late = lateNote(lateMs);
    const own = readableText(received.words, nameOf);
    const shared = message.attachments.map((attachment) => sharedText(attachment, nameOf));
    const words = [own, ...shared, files].filter((piece) => piece !== "").join("\n") || NO_WORDS;
    const said = isDirect ? words : `${this.#speaker(message.user)}: ${words}`;
    return [past, late, said].filter((line) => line !== "").join("\n").trim();
  }

  /** With the id, by which the person can be mentioned. */
  #speaker(userId: string): string {
    const name = this.#options.people.knownName(userId);
    return name === "" ? userId : `${name} (${userId})`;
  }
}

/** A message that was passed on, in brackets; "" for a preview of an address. */
function sharedText(attachment: SlackAttachment, nameOf: (userId: string) => string): string {
  const { text, fallback, author_name: author, is_share, is_msg_unfurl } = attachment;
  if (!is_share && !is_msg_unfurl) return "";
  const words = readableText(text || fallback, nameOf).slice(0, SHARED_CHARS_MAX).toWellFormed();
  return `[Shared message${author === "" ? "" : ` of ${author}`}: ${words.trim()}]`;
}
