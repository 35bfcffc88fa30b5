/**
 * What accepted messages lack: their files, what they answer, what is said in them. A message that
 * needs nothing fetched is complete at once; any other is a draft until everything is there.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { InboundContents } from "../../channel.ts";
import type { Incomplete } from "../../drafts.ts";
import { lateNote } from "../../lateness.ts";
import type { Speech } from "../../media/speech.ts";
import type { DiscordApi } from "../api.ts";
import { DiscordRefusedError, DiscordUnreachableError } from "../errors.ts";
import { type Attachment, type Message, messageSchema, type QuotedMessage } from "../wire.ts";
import { extrasOf, nameOf, quotedWords, wordsOf } from "./content.ts";
import { type Downloads, kindOf } from "./downloads.ts";
import { commandIn, type Received } from "./received.ts";

const logger = getLogger(["troupe", "discord", "completer"]);

/** Stands for what a person says by an answer that only mentions the bot. */
const NO_WORDS = "(only mentions you)";

/** What completing needs. */
export interface CompleterOptions {
  readonly botId: string;
  readonly api: Pick<DiscordApi, "message">;
  readonly downloads: Downloads;
  readonly speech: Speech;
  /** The bot's own last words in a channel need not be quoted: the conversation holds them. */
  readonly isOwnLast: (channelId: string, messageId: string) => boolean;
  readonly signal: AbortSignal;
}

/** What a draft is completed from. */
const draftSchema = z.object({ message: messageSchema, late_ms: z.number().catch(0) });

/** Completes messages of one bot. */
export class Completer {
  readonly #options: CompleterOptions;

  constructor(options: CompleterOptions) {
    this.#options = options;
  }

  /** The contents of a message that needs nothing fetched; null for one that becomes a draft. */
  contentsAtOnce(received: Received): InboundContents | null {
    const { message, lateMs } = received;
    const command = commandIn(message, this.#options.botId);
    if (command !== null) return { content: command, media: [] };
    const isQuoteUnknown = message.quoted === undefined && this.#isQuoting(message);
    if (isQuoteUnknown || filesOf(message).length > 0) return null;
    return { content: this.#compose(message, lateMs, []), media: [] };
  }

  /** What a draft keeps of its message. */
  draftOf({ raw, lateMs }: Received): JsonObject {
    return { message: raw, late_ms: lateMs };
  }

  /** What a draft lacks; null for what is no draft. */
  read(draft: JsonObject): Incomplete | null {
    const parsed = draftSchema.safeParse(draft).data;
    if (parsed === undefined) return null;
    const { message, late_ms: lateMs } = parsed;
    return {
      fetch: () => this.#fetch(message, lateMs),
      bare: () => ({ content: this.#compose(message, lateMs, []), media: [] }),
    };
  }

  async #fetch(message: Message, lateMs: number): Promise<InboundContents> {
    const whole = { ...message, quoted: await this.#quotedOf(message) };
    const files = await Promise.all(
      filesOf(whole).map((file) => this.#fetchFile(file, message.channel_id)),
    );
    const content = this.#compose(whole, lateMs, files.map(({ line }) => line));
    return { content, media: files.flatMap(({ path }) => path ?? []) };
  }

  /** The message that is answered; null when nobody can tell. */
  async #quotedOf(message: Message): Promise<QuotedMessage | null> {
    const { quoted, reference, channel_id: channelId } = message;
    if (quoted !== undefined || reference === null || !this.#isQuoting(message)) {
      return quoted ?? null;
    }
    const { api, signal } = this.#options;
    try {
      return await api.message(channelId, reference.messageId, signal);
    } catch (error) {
      const isTold = error instanceof DiscordRefusedError ||
        error instanceof DiscordUnreachableError;
      if (!isTold) throw error;
      logger.debug("Cannot read what is quoted: {reason}", { reason: error.message });
      return null;
    }
  }

  async #fetchFile(
    { attachment, messageId }: FileOfMessage,
    channelId: string,
  ): Promise<{ readonly line: string; readonly path?: string }> {
    const { downloads, speech } = this.#options;
    const name = attachment.filename || attachment.id;
    const file = await downloads.fetch({ attachment, channelId, messageId });
    if (file.state === "failed") return { line: `[attachment: ${name} - ${file.reason}]` };
    const { path } = file;
    const isSound = kindOf(attachment) === "audio";
    return { line: isSound ? await speech.textOf(path) : `[attachment: ${name}]`, path };
  }

  #isQuoting({ reference, channel_id: channelId }: Message): boolean {
    return reference !== null && !reference.isForward && reference.messageId !== "" &&
      !this.#options.isOwnLast(channelId, reference.messageId);
  }

  #compose(message: Message, lateMs: number, files: readonly string[]): string {
    const { botId } = this.#options;
    const { author, nick, content, mentions, guild_id: guildId, forwarded } = message;
    const quote = this.#isQuoting(message) ? quotedWords(message, botId) : "";
    const late = lateNote(lateMs);
    const said = [
      wordsOf(content, mentions, botId),
      ...extrasOf(message),
      ...forwarded.map((contents) =>
        `[forwarded: ${[contents.content, ...extrasOf(contents)].join("\n").trim()}]`
      ),
      ...files,
    ].filter((line) => line !== "").join("\n") || NO_WORDS;
    const speaker = `${nameOf(author, nick)} (${author.id})`;
    return [quote, late, guildId === null ? said : `${speaker}: ${said}`]
      .filter((line) => line !== "").join("\n");
  }
}

/** A file, and the message that it stands in. */
interface FileOfMessage {
  readonly attachment: Attachment;
  readonly messageId: string;
}

/** Its own, those of what it hands on, and those of what it answers. */
function filesOf(message: Message): readonly FileOfMessage[] {
  const { id: messageId, attachments, forwarded, quoted } = message;
  const own = [...attachments, ...forwarded.flatMap((contents) => contents.attachments)]
    .map((attachment) => ({ attachment, messageId }));
  if (quoted === null || quoted === undefined) return own;
  const others = quoted.attachments.map((attachment) => ({ attachment, messageId: quoted.id }));
  return [...own, ...others];
}
