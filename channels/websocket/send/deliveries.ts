/**
 * Puts deliveries into their chats. A delivery has arrived when it is kept there: clients that are
 * connected have it at once, the others when they come back.
 * @module
 */

import { basename } from "node:path";
import { type Delivery, DeliveryError, type LookUp, type Settled } from "../../channel.ts";
import { localPictures } from "../../markdown/pictures.ts";
import { unreadNote } from "../../media/unsent.ts";
import type { FileLook } from "../adapters/served_file.ts";
import type { Chat } from "../chats/chat.ts";
import type { Chats } from "../chats/chats.ts";
import type { EntryContents, KeptFile } from "../chats/entry.ts";
import { clientMessageOf } from "../receive/ids.ts";
import { isChatId, type SettledOut } from "../wire.ts";

/** A file is served from disk, so that its size costs the client alone. */
const FILE_BYTES_MAX = 500_000_000;

/** What delivering needs. */
export interface DeliveriesOptions {
  readonly chats: Chats;
  readonly lookAtFile: (path: string, bytesMax: number) => Promise<FileLook>;
  readonly workspaceFolder: string | undefined;
}

/** All deliveries of one channel. */
export class Deliveries {
  readonly #options: DeliveriesOptions;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Shows a growing answer as it stands. */
  async grow(delivery: Delivery): Promise<readonly string[]> {
    const { key, text, activity, reasoning = "" } = delivery;
    return await this.#inChat(delivery, (chat) => {
      if (chat.delivered(key) === undefined) chat.grow(key, { text, activity, reasoning });
      return [key];
    });
  }

  /** Keeps a final delivery, once for each key. */
  async finish(delivery: Delivery): Promise<readonly string[]> {
    const { key, closes } = delivery;
    return await this.#inChat(delivery, async (chat) => {
      const before = chat.delivered(key);
      if (before !== undefined) return idsOf(before);
      if (closes !== undefined) await this.#close(chat, closes, delivery);
      const contents = await this.#contentsOf(delivery, chat);
      if (contents === null) return [];
      await this.#options.chats.add(chat, contents);
      return idsOf(contents);
    });
  }

  /** Whether a final delivery is kept. */
  async lookUp(delivery: Delivery): Promise<LookUp> {
    return await this.#inChat(
      delivery,
      (chat) => chat.delivered(delivery.key) === undefined ? "absent" : "arrived",
    );
  }

  async #inChat<T>(
    { key, chatId }: Delivery,
    work: (chat: Chat) => T | Promise<T>,
  ): Promise<T> {
    if (isChatId(chatId)) return await this.#options.chats.with(chatId, work);
    const text = `Cannot deliver "${key}": "${chatId}" is no chat's id, which has 64 letters, ` +
      "digits or _ : - at most";
    throw new DeliveryError("delivery_permanent", text);
  }

  /** Null when there is nothing to say, and nobody waits for an end. */
  async #contentsOf(delivery: Delivery, chat: Chat): Promise<EntryContents | null> {
    const { key, isPlain, choices = [], context, notice } = delivery;
    const { media, notes } = await this.#filesOf(delivery);
    const words = [delivery.text.trim(), ...notes].filter((piece) => piece !== "");
    const whole = words.length === 0 || notice === undefined ? words : [notice, ...words];
    const settles = delivery.settles.flatMap(settledOut);
    const isBlank = whole.length === 0 && media.length === 0;
    const hasGrown = chat.streams.has(key);
    if (isBlank && !hasGrown && settles.length === 0) return null;
    const replyTo = context["client_msg_id"];
    return {
      kind: isBlank && !hasGrown ? "settled" : "message",
      key,
      messageId: key,
      text: whole.join("\n\n"),
      isPlain,
      media,
      choices,
      replyTo: typeof replyTo === "string" ? replyTo : null,
      settles,
    };
  }

  async #filesOf(
    { text, isPlain, media }: Delivery,
  ): Promise<{ readonly media: readonly KeptFile[]; readonly notes: readonly string[] }> {
    const shown = new Map<string, string | null>();
    const pictures = isPlain ? [] : localPictures(text, this.#options.workspaceFolder);
    for (const [address, path] of pictures) shown.set(path, address);
    for (const path of media) if (!shown.has(path)) shown.set(path, null);
    const files: KeptFile[] = [];
    const notes: string[] = [];
    for (const [path, shownAs] of shown) {
      const look = await this.#options.lookAtFile(path, FILE_BYTES_MAX);
      if (look.state !== "ok") notes.push(unreadNote(path, look.state, FILE_BYTES_MAX));
      else files.push({ path, name: basename(path), bytes: look.bytes, shownAs });
    }
    return { media: files, notes };
  }

  /** Choices that mean nothing any more are taken away, and the decision stands in their place. */
  async #close(chat: Chat, key: string, { key: by, text }: Delivery): Promise<void> {
    const open = chat.openChoice(key);
    if (open === undefined) return;
    const { seq: _seq, ...question } = open;
    await this.#options.chats.add(chat, {
      ...question,
      kind: "update",
      key: `${by}:closes`,
      text: `${open.text}\n\n${text.trim()}`,
      choices: [],
      settles: [],
    });
  }
}

/** A blank end takes an answer that grew away. */
function idsOf({ kind, messageId, text, media }: EntryContents): readonly string[] {
  const isShown = kind === "message" && (text !== "" || media.length > 0);
  return isShown ? [messageId] : [];
}

function settledOut({ platformId, outcome }: Settled): readonly SettledOut[] {
  const message = clientMessageOf(platformId);
  if (message === null) return [];
  const { clientId, clientMessageId } = message;
  return [{ client_msg_id: clientMessageId, client_id: clientId, outcome }];
}
