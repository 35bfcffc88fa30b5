/**
 * Shows deliveries: files, then the text, each message under an id that is the same in every
 * attempt, so that a phone shows it once.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import type { Delivery } from "../../channel.ts";
import { localPictures } from "../../markdown/pictures.ts";
import { unsentNote } from "../../media/unsent.ts";
import { ChatWindows, RateWindow, takeTurn } from "../../rate_window.ts";
import { type Remember, StoredRecord } from "../../stored_record.ts";
import { isPassing } from "../errors.ts";
import type { OutgoingBody, Quote, WhatsAppLink } from "../link.ts";
import { messageIn } from "../receive/message.ts";
import { piecesOf } from "../render/pieces.ts";
import { readPart } from "./files.ts";
import { type DeliveryState, messageId, type PartRecord, readState, writeState } from "./state.ts";

const logger = getLogger(["troupe", "whatsapp", "deliveries"]);

/** What showing deliveries needs. */
export interface DeliveriesOptions {
  readonly link: Pick<WhatsAppLink, "send">;
  readonly clock: Clock;
  readonly remember: Remember;
  readonly replyToMessage: boolean;
  /** Where addresses in texts that name no folder begin; undefined: nowhere. */
  readonly workspaceFolder: string | undefined;
}

type DeliveryRecord = StoredRecord<DeliveryState>;

/** WhatsApp names no rate. A person does not write faster for long, and whoever does is blocked. */
const CHAT_PER_WINDOW = 8;
const CHAT_WINDOW_MS = 10_000;
const ACCOUNT_PER_MINUTE = 60;
const MINUTE_MS = 60_000;

/** All deliveries of one channel; calls with the same key must not overlap. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #account = new RateWindow(ACCOUNT_PER_MINUTE, MINUTE_MS);
  readonly #chats = new ChatWindows(() => new RateWindow(CHAT_PER_WINDOW, CHAT_WINDOW_MS));

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Shows a final delivery. @returns the ids of its messages */
  async finish(delivery: Delivery, signal: AbortSignal): Promise<readonly string[]> {
    const { key, channelState } = delivery;
    const { remember } = this.#options;
    const state = readState(channelState);
    const record = new StoredRecord({ key, state, write: writeState, remember });
    await this.#prepare(record, delivery);
    const parts = (): readonly PartRecord[] => record.state.parts ?? [];
    const quote = this.#quoteOf(delivery);
    while (record.state.sent < parts().length) {
      const { sent } = record.state;
      const part = parts()[sent];
      if (part === undefined) break;
      await this.#send(delivery.chatId, { part, quote: sent === 0 ? quote : undefined }, signal);
      // What is sent twice shows once: the count may be lost by a power cut.
      if (sent + 1 < parts().length) await record.save({ sent: sent + 1 }, "written");
      else record.note({ sent: sent + 1 });
    }
    return parts().map(({ id }) => id);
  }

  /** Renders, once, what will be sent; with words before what may show a second time. */
  async #prepare(record: DeliveryRecord, delivery: Delivery): Promise<void> {
    const { key, notice } = delivery;
    const parts = record.state.parts ?? await this.#partsOf(delivery);
    const { sent } = record.state;
    const id = messageId(key, "notice", sent);
    const isAnnounced = notice === undefined || parts[sent]?.id === id;
    const all = isAnnounced ? parts : parts.toSpliced(sent, 0, { kind: "text", id, text: notice });
    const isNew = all !== record.state.parts;
    record.note({ parts: all });
    if (isNew && all.length > 0) await record.save({});
  }

  async #partsOf({ key, isPlain, text, media }: Delivery): Promise<readonly PartRecord[]> {
    const { workspaceFolder } = this.#options;
    const pictures = isPlain ? [] : localPictures(text, workspaceFolder).values();
    const parts: PartRecord[] = [];
    const notes: string[] = [];
    for (const path of new Set([...pictures, ...media])) {
      const read = await readPart(path);
      const id = messageId(key, "file", path);
      if (read.state === "ok") parts.push({ kind: "file", id, path });
      else notes.push(read.note);
    }
    const pieces = [
      ...piecesOf(text.trim(), { isPlain }),
      ...piecesOf(notes.join("\n"), { isPlain: true }),
    ];
    return [
      ...parts,
      ...pieces.map((piece, at): PartRecord => ({
        kind: "text",
        id: messageId(key, "text", at),
        text: piece,
      })),
    ];
  }

  async #send(
    chatJid: string,
    { part, quote }: { readonly part: PartRecord; readonly quote: Quote | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, link } = this.#options;
    const windows = [this.#account, this.#chats.of(chatJid, clock.now())];
    await takeTurn(clock, windows, () => -Infinity, signal);
    const { id } = part;
    const body = await bodyOf(part);
    try {
      await link.send({ chatJid, id, body, quote }, signal);
    } catch (error) {
      if (part.kind === "text" || body.kind === "text" || isPassing(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn("WhatsApp refused a file: {reason}", { reason });
      const text = unsentNote(part.path, "WhatsApp refused it");
      await link.send({ chatJid, id, body: { kind: "text", text }, quote }, signal);
    }
  }

  #quoteOf({ context, chatId }: Delivery): Quote | undefined {
    const message = this.#options.replyToMessage ? messageIn(context) : null;
    return message === null ? undefined : { ...message, chatJid: chatId };
  }
}

/** A file that is gone meanwhile is told in words. */
async function bodyOf(part: PartRecord): Promise<OutgoingBody> {
  if (part.kind === "text") return { kind: "text", text: part.text };
  const read = await readPart(part.path);
  return read.state === "ok"
    ? { kind: "file", file: read.file }
    : { kind: "text", text: read.note };
}
