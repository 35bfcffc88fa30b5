/**
 * Text and files of a message.
 * @module
 */

import { basename } from "node:path";
import { z } from "zod";
import { asJson, type JsonObject } from "../../../actors/kernel/json.ts";
import type { InboundContents } from "../../channel.ts";
import type { Incomplete } from "../../drafts.ts";
import { lateNote } from "../../lateness.ts";
import { bracketed } from "../../media/bracketed.ts";
import type { Speech } from "../../media/speech.ts";
import { type RobotMessage, robotMessageSchema } from "../wire.ts";
import type { Downloads } from "./downloads.ts";
import { commandIn, isGroup, senderOf } from "./message.ts";
import { filesOf, type MessageFile, replyLine, wordsOf } from "./parts.ts";

/** What reading contents needs. */
export interface ContentsOptions {
  readonly downloads: Pick<Downloads, "fetch">;
  readonly speech: Pick<Speech, "textOf">;
}

/** A message that is for us. */
export interface Received {
  readonly platformId: string;
  readonly message: RobotMessage;
  /** How late it came; 0 for in time. */
  readonly lateMs: number;
}

/** Files in words, and where they lie. */
interface Fetched {
  readonly tag: string;
  readonly path: string | null;
}

/** Stands for what a person says who only mentions the bot. */
const NO_WORDS = "(only mentions you)";

const draftSchema = z.object({ message: robotMessageSchema, lateMs: z.number().catch(0) });

/** Reads the contents of messages. */
export class Contents {
  readonly #options: ContentsOptions;

  constructor(options: ContentsOptions) {
    this.#options = options;
  }

  /** The contents of a message for which nothing has to be fetched; null for others. */
  atOnce(received: Received): InboundContents | null {
    const command = commandIn(received.message);
    if (command !== null) return { content: command, media: [] };
    return filesOf(received.message).length > 0
      ? null
      : { content: compose(received, []), media: [] };
  }

  /** What a draft keeps of its message. */
  draftOf({ message, lateMs }: Received): JsonObject {
    return asJson({ message: { ...message }, lateMs });
  }

  /** What a draft lacks; null for what is no draft. */
  read(platformId: string, draft: JsonObject): Incomplete | null {
    const parsed = draftSchema.safeParse(draft).data;
    if (parsed === undefined) return null;
    const received = { platformId, ...parsed };
    return {
      fetch: () => this.#fetch(received),
      bare: () => {
        const tags = filesOf(received.message).map(({ kind, name }) => bracketed(kind, name));
        return { content: compose(received, tags), media: [] };
      },
    };
  }

  /** Rejects only when the channel stops. */
  async #fetch(received: Received): Promise<InboundContents> {
    const files = filesOf(received.message);
    const fetched = await Promise.all(
      files.map((file, index) => this.#file(received.platformId, file, index)),
    );
    return {
      content: compose(received, fetched.map(({ tag }) => tag)),
      media: fetched.flatMap(({ path }) => path === null ? [] : [path]),
    };
  }

  async #file(platformId: string, file: MessageFile, index: number): Promise<Fetched> {
    const { downloads, speech } = this.#options;
    const { kind } = file;
    const done = await downloads.fetch({ ...file, platformId, index });
    if (done.state === "failed") {
      return { tag: `[${kind}: download failed (${done.reason})]`, path: null };
    }
    const { path } = done;
    const tag = kind === "audio" ? await speech.textOf(path) : bracketed(kind, basename(path));
    return { tag, path };
  }
}

/** In groups it must be clear who speaks. */
function compose({ message, lateMs }: Received, tags: readonly string[]): string {
  const own = [wordsOf(message), ...tags].filter((line) => line !== "");
  const said = own.length > 0 ? own : [NO_WORDS];
  const words = [lateNote(lateMs), replyLine(message), ...said].filter((line) => line !== "")
    .join("\n");
  return isGroup(message) ? `${speakerOf(message)}: ${words}` : words;
}

/** With the id, by which the person can be told from others of the name. */
function speakerOf(message: RobotMessage): string {
  const id = senderOf(message);
  const name = message.senderNick.replace(/\s+/g, " ").trim();
  return name === "" ? id : `${name} (${id})`;
}
