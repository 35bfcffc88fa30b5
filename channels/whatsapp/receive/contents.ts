/**
 * Text and files of a message.
 * @module
 */

import { basename } from "node:path";
import type { InboundContents } from "../../channel.ts";
import { lateNote } from "../../lateness.ts";
import { bracketed } from "../../media/bracketed.ts";
import type { Speech } from "../../media/speech.ts";
import { idOf, isGroup, type PersonIds } from "../ids.ts";
import type { ReceivedMessage } from "../wire.ts";
import type { Downloads } from "./downloads.ts";
import { platformIdOf } from "./message.ts";
import { contextOf, detailsOf, fileOf, replyLine, unwrapped, wordsOf } from "./parts.ts";

/** What reading contents needs. */
export interface ContentsOptions {
  readonly downloads: Pick<Downloads, "fetch">;
  readonly speech: Pick<Speech, "textOf">;
}

/** A message, and what is known about it. */
export interface Received {
  readonly message: ReceivedMessage;
  readonly sender: PersonIds;
  readonly self: PersonIds;
  /** How late it came; 0 for in time. */
  readonly lateMs: number;
}

/** Reads the contents of messages. */
export class MessageContents {
  readonly #options: ContentsOptions;

  constructor(options: ContentsOptions) {
    this.#options = options;
  }

  /** The contents of a message without a file; null for others. */
  atOnce(received: Received): InboundContents | null {
    const hasFile = fileOf(unwrapped(received.message.contents)) !== null;
    return hasFile ? null : { content: compose(received, ""), media: [] };
  }

  /** Fetches the file; rejects only when the channel stops. */
  async fetch(received: Received): Promise<InboundContents> {
    const { message, sender } = received;
    const part = fileOf(unwrapped(message.contents));
    if (part === null) return this.bare(received);
    const fetched = await this.#options.downloads.fetch({
      ...part,
      platformId: platformIdOf(message, sender),
    });
    if (fetched.state === "failed") {
      const tag = `[${part.label}: download failed (${fetched.reason})]`;
      return { content: compose(received, tag), media: [] };
    }
    const { path } = fetched;
    const tag = part.kind === "audio"
      ? await this.#options.speech.textOf(path)
      : bracketed(part.label, basename(path));
    return { content: compose(received, tag), media: [path] };
  }

  /** As far as it can be read without fetching anything. */
  bare(received: Received): InboundContents {
    const part = fileOf(unwrapped(received.message.contents));
    return { content: compose(received, part === null ? "" : `[${part.label}]`), media: [] };
  }
}

/** In groups it must be clear who speaks. */
function compose({ message, sender, self, lateMs }: Received, tag: string): string {
  const contents = unwrapped(message.contents);
  const lines = [
    lateNote(lateMs),
    contextOf(contents)?.isForwarded === true ? "[Forwarded]" : "",
    replyLine(contents, self),
    wordsOf(contents).trim(),
    ...detailsOf(contents),
    tag,
  ].filter((line) => line !== "");
  const said = lines.join("\n") || "[empty message]";
  if (!isGroup(message.chatJid)) return said;
  const id = idOf(sender);
  return `${message.name === "" ? id : `${message.name} (${id})`}: ${said}`;
}
