/**
 * Sends final deliveries, part by part, each as an answer to a message while that can be. An answer
 * is numbered, so one of which nobody knows whether it arrived is sent again and shows once; a
 * message that answers nothing has no number, and is never repeated in silence.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Delivery, DeliveryError, type LookUp } from "../../channel.ts";
import { localPictures } from "../../markdown/pictures.ts";
import { unsentNote } from "../../media/unsent.ts";
import type { Remember } from "../../stored_record.ts";
import {
  isAmbiguous,
  isAnswerOver,
  isDuplicate,
  isMarkdownRefusal,
  isPassing,
  isTooLong,
  isUrlRefusal,
} from "../errors.ts";
import { inTwo, textPart, textParts, withoutAddresses, withoutMarks } from "../render/parts.ts";
import { type FilePart, filePart, readPart } from "./files.ts";
import { type Chat, type Place, placeOf } from "./place.ts";
import type { Replies } from "./replies.ts";
import type { Sender } from "./sender.ts";
import { sequenceOf } from "./sequence.ts";
import { type DeliveryRecord, deliveryRecord, type PartRecord, type Trying } from "./state.ts";

const logger = getLogger(["troupe", "qq", "deliveries"]);

/** What sending deliveries needs. */
export interface DeliveriesOptions {
  readonly sender: Sender;
  readonly replies: Replies;
  readonly remember: Remember;
  readonly msgFormat: "plain" | "markdown";
  /** What is known of a chat. */
  readonly chat: (chatId: string) => Promise<Chat | undefined>;
  /** Where addresses in texts that name no folder begin; undefined: nowhere. */
  readonly workspaceFolder: string | undefined;
}

/** Refusals of one part that are mended in one go. */
const REFUSALS_MAX = 12;

/** A delivery on its way. */
interface Ongoing {
  readonly record: DeliveryRecord;
  readonly place: Place;
  /** The message that it answers; null for none. */
  readonly asked: string | null;
}

/** All deliveries of one channel; calls with the same key must not overlap. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  /** The platform told that the bot may write no Markdown. */
  #mayWriteMarkdown = true;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Sends a final delivery: files, then the text. @returns the ids of its messages */
  async finish(delivery: Delivery, signal: AbortSignal): Promise<readonly string[]> {
    const ongoing = await this.#take(delivery);
    const { record } = ongoing;
    const isInDoubt = record.state.trying?.is_safe === false;
    if (isInDoubt && delivery.notice === undefined) throw inDoubt(record.key);
    await this.#prepare(ongoing, delivery);
    if (isInDoubt && delivery.notice !== undefined) await announce(record, delivery.notice);
    while (await this.#sendNext(ongoing, signal));
    return record.state.sent.filter((id) => id !== "");
  }

  /** What answers a message can be sent again without showing twice. */
  lookUp({ key, channelState }: Delivery): LookUp {
    const { trying } = deliveryRecord(key, channelState, this.#options.remember).state;
    return trying === null || trying.is_safe ? "absent" : "cannot_tell";
  }

  async #take({ key, chatId, context, channelState }: Delivery): Promise<Ongoing> {
    const { remember, chat, replies } = this.#options;
    const place = placeOf(chatId, context, await chat(chatId));
    const { message_id: messageId, said_ms: saidMs } = context;
    const isAsked = typeof messageId === "string" && context["chat_id"] === chatId;
    if (isAsked && typeof saidMs === "number") replies.note(place, { messageId, saidMs });
    return {
      record: deliveryRecord(key, channelState, remember),
      place,
      asked: isAsked ? messageId : null,
    };
  }

  /** Renders, once, what will be sent. */
  async #prepare({ record, place }: Ongoing, { text, isPlain, media }: Delivery): Promise<void> {
    if (record.state.parts !== null) return;
    const { workspaceFolder, msgFormat } = this.#options;
    const pictures = isPlain ? [] : localPictures(text, workspaceFolder).values();
    const parts: PartRecord[] = [];
    const notes: string[] = [];
    for (const path of new Set([...pictures, ...media])) {
      const part = filePart(path);
      const read = await readPart(part, place.kind);
      if (read.state === "ok") parts.push(part);
      else notes.push(read.note);
    }
    const whole = [text.trim(), ...notes].filter((piece) => piece !== "").join("\n\n");
    const isMarkdown = msgFormat === "markdown" && this.#mayWriteMarkdown;
    record.note({ parts: [...parts, ...textParts(whole, { isPlain, isMarkdown })] });
  }

  /** @returns whether there may be more to send */
  async #sendNext(ongoing: Ongoing, signal: AbortSignal): Promise<boolean> {
    const { record } = ongoing;
    const part = record.state.parts?.[record.state.sent.length];
    if (part === undefined) return false;
    if (part.kind === "text") {
      await this.#send(ongoing, part, null, signal);
      return true;
    }
    const fileInfo = await this.#upload(ongoing, part, signal);
    if (fileInfo !== null) await this.#send(ongoing, part, fileInfo, signal);
    return true;
  }

  /** Null when another part stands in its place now. Nobody sees a file that is only uploaded. */
  async #upload(
    { record, place }: Ongoing,
    part: FilePart,
    signal: AbortSignal,
  ): Promise<string | null> {
    const read = await readPart(part, place.kind);
    if (read.state === "unsendable") {
      await replace(record, [textPart(read.note)]);
      return null;
    }
    try {
      return await this.#options.sender.upload(place, read.upload, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isPassing(error)) {
        const message = error instanceof Error ? error.message : String(error);
        throw new DeliveryError("delivery_transient", message, { cause: error });
      }
      await replace(record, [replacementOf(part, error)]);
      return null;
    }
  }

  async #send(
    { record, place, asked }: Ongoing,
    part: PartRecord,
    fileInfo: string | null,
    signal: AbortSignal,
  ): Promise<void> {
    const { sender, replies } = this.#options;
    const { trying: before, attempt, sent } = record.state;
    const trying = before ?? this.#begin(place, asked);
    if (before === null) await record.save({ trying });
    const messageId = trying.message_id;
    const sequence = sequenceOf({ key: record.key, part: sent.length, attempt });
    const body = part.kind === "file" ? { kind: part.kind, fileInfo: fileInfo ?? "" } : part;
    try {
      const id = await sender.send(place, body, { messageId, sequence }, signal);
      record.note({ sent: [...sent, id], trying: null, attempt: 0 });
      if (messageId !== null) replies.count(place.chatId, messageId);
    } catch (error) {
      if (signal.aborted) throw error;
      if (isAmbiguous(error)) throw ambiguous(trying, error);
      if (isDuplicate(error)) {
        return record.note({ sent: [...sent, ""], trying: null, attempt: 0 });
      }
      await this.#refused({ record, place, part, trying, isRepeated: before !== null }, error);
    }
  }

  /** How the next part goes out. */
  #begin(place: Place, asked: string | null): Trying {
    const messageId = this.#options.replies.pick(place, asked);
    return { message_id: messageId, is_safe: messageId !== null && place.kind !== "direct" };
  }

  /** The platform did not take a part: mends what can be mended, or throws. */
  async #refused(
    { record, place, part, trying, isRepeated }: {
      readonly record: DeliveryRecord;
      readonly place: Place;
      readonly part: PartRecord;
      readonly trying: Trying;
      /** It had been sent before, and may have arrived then. */
      readonly isRepeated: boolean;
    },
    error: unknown,
  ): Promise<void> {
    const { replies } = this.#options;
    const isOver = isAnswerOver(error) && trying.message_id !== null;
    if (isOver) replies.close(place.chatId, trying.message_id ?? "");
    if (isRepeated) {
      if (!isOver) throw error;
      await record.save({ trying: { ...trying, is_safe: false } });
      throw inDoubt(record.key);
    }
    // A number may be used up by a refusal.
    const attempt = record.state.attempt + 1;
    await record.save({ trying: null, attempt });
    if (attempt % REFUSALS_MAX === 0) throw error;
    if (isOver) return;
    const instead = part.kind === "text" ? this.#insteadOf(part, error) : null;
    if (instead === null) throw error;
    await replace(record, instead);
  }

  /** What to send instead of a text that was refused; null when there is nothing. */
  #insteadOf(
    part: Extract<PartRecord, { readonly kind: "text" }>,
    error: unknown,
  ): readonly PartRecord[] | null {
    if (isMarkdownRefusal(error) && part.isMarkdown) {
      this.#mayWriteMarkdown = false;
      logger.warn("QQ takes no Markdown of this bot's: it writes plain text from now on");
      const plain = withoutMarks(part);
      return plain === null ? null : [plain];
    }
    if (isUrlRefusal(error)) {
      logger.warn(
        "QQ refused a message for its addresses: list them on q.qq.com, page Development settings",
      );
      const changed = withoutAddresses(part);
      return changed === null ? null : [changed];
    }
    return isTooLong(error) ? inTwo(part) : null;
  }
}

/** Words before what may show a second time. */
async function announce(record: DeliveryRecord, notice: string): Promise<void> {
  const { parts, sent, attempt } = record.state;
  const all = (parts ?? []).toSpliced(sent.length, 0, textPart(notice));
  await record.save({ parts: all, trying: null, attempt: attempt + 1 });
}

async function replace(record: DeliveryRecord, instead: readonly PartRecord[]): Promise<void> {
  const { parts, sent } = record.state;
  await record.save({ parts: (parts ?? []).toSpliced(sent.length, 1, ...instead) });
}

/** What is no picture, video or voice to QQ still goes as a file. */
function replacementOf(part: FilePart, error: unknown): PartRecord {
  const reason = error instanceof Error ? error.message : String(error);
  logger.warn("QQ refused a file of kind {type}: {reason}", { type: part.type, reason });
  if (part.type !== 4) return { ...part, type: 4 };
  return textPart(unsentNote(part.path, "QQ refused it"));
}

/** Sent again under its number it shows once; without one nobody knows. */
function ambiguous({ is_safe: isSafe }: Trying, error: unknown): DeliveryError {
  const message = error instanceof Error ? error.message : String(error);
  const code = isSafe ? "delivery_transient" : "delivery_unknown";
  return new DeliveryError(code, message, { cause: error });
}

function inDoubt(key: string): DeliveryError {
  return new DeliveryError(
    "delivery_unknown",
    `Cannot send "${key}" again: an earlier try had no clear end, and has no number that counts`,
  );
}
