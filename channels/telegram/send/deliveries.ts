/**
 * Shows deliveries: a growing one in messages that are changed, a final one there or in messages of
 * its own. As nothing has a key, each send is noted before it goes out: one of which nobody knows
 * whether it arrived is in doubt, and never repeated in silence.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { type Delivery, DeliveryError } from "../../channel.ts";
import { localPictures } from "../../markdown/pictures.ts";
import { isAmbiguous, isBadRequest } from "../errors.ts";
import type { Place, SentMessage, TextBody } from "../link.ts";
import { OpenChoices } from "../../open_choices.ts";
import { piecesOf, TEXT_UNITS_MAX } from "../render/pieces.ts";
import { LiveAnswer } from "./live_answer.ts";
import { unsentNote } from "../../media/unsent.ts";
import { filePart, readPart } from "./media.ts";
import type { Sender } from "./sender.ts";
import { DeliveryRecord, type PartRecord, type Remember } from "./state.ts";
import { placeOf, withoutQuote } from "./target.ts";

const logger = getLogger(["troupe", "telegram", "deliveries"]);

/** What showing deliveries needs. */
export interface DeliveriesOptions {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly remember: Remember;
  readonly replyToMessage: boolean;
  readonly toolHintPrefix: string;
  /** Least time between two changes of a growing message. */
  readonly editIntervalMs: number;
  /** Where addresses in texts that name no folder begin; undefined: nowhere. */
  readonly workspaceFolder: string | undefined;
}

/** A delivery on its way. */
interface Ongoing {
  readonly record: DeliveryRecord;
  readonly place: Place;
  readonly answer: LiveAnswer;
}

/** Growing answers kept in memory; an older one goes on from its stored state. */
const ONGOING_MAX = 1_000;

/** All deliveries of one channel; calls with the same key must not overlap. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #ongoing = new Map<string, Ongoing>();
  readonly #choices = new OpenChoices<SentMessage & { readonly body: TextBody }>();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Shows a growing delivery as it stands. */
  async grow(delivery: Delivery, signal: AbortSignal): Promise<readonly string[]> {
    const { record, answer } = this.#take(delivery);
    // What may be there already is for the end to say.
    if (!record.state.is_trying) await answer.grow(delivery, signal);
    return record.state.live.map(String);
  }

  /** Shows a final delivery: files, then the text, or the text where it grew, then files. */
  async finish(delivery: Delivery, signal: AbortSignal): Promise<readonly string[]> {
    const ongoing = this.#take(delivery);
    const { record, answer } = ongoing;
    const { is_trying: isInDoubt } = record.state;
    if (isInDoubt && delivery.notice === undefined) throw inDoubt(record.key);
    await this.#prepare(ongoing, delivery);
    if (isInDoubt && delivery.notice !== undefined) await announce(record, delivery.notice);
    const pieces = this.#pieces(delivery, record);
    const lost = await answer.finish(pieces.slice(0, record.state.live.length), signal);
    if (lost.length > 0) await insert(record, lost.map(textPart));
    await this.#sendParts(ongoing, signal);
    this.#ongoing.delete(delivery.key);
    this.#noteChoices(delivery, ongoing, pieces);
    if (delivery.closes !== undefined) await this.#close(delivery.closes, delivery.text, signal);
    return [...record.state.live, ...record.state.sent].map(String);
  }

  /** Renders, once, what will be sent as messages of its own. */
  async #prepare({ record }: Ongoing, delivery: Delivery): Promise<void> {
    if (record.state.parts !== null) return;
    const { isPlain, text, media } = delivery;
    const pictures = isPlain ? [] : localPictures(text, this.#options.workspaceFolder).values();
    const parts: PartRecord[] = [];
    const notes: string[] = [];
    for (const path of new Set([...pictures, ...media])) {
      const part = filePart(path);
      const read = await readPart(part);
      if (read.state === "ok") parts.push(part);
      else notes.push(read.note);
    }
    record.note({ note: notes.join("\n") });
    const pieces = this.#pieces(delivery, record);
    parts.push(...pieces.slice(record.state.live.length).map(textPart));
    record.note({ parts });
  }

  /** The text in messages; answers that are suggested stand below the last one. */
  #pieces(
    { text, isPlain, choices = [] }: Delivery,
    { state: { note } }: DeliveryRecord,
  ): readonly TextBody[] {
    const whole = [text.trim(), note].filter((piece) => piece !== "").join("\n\n");
    const pieces: readonly TextBody[] = piecesOf(whole, { isPlain });
    const last = pieces.at(-1);
    if (choices.length === 0 || last === undefined) return pieces;
    return pieces.with(-1, { ...last, choices });
  }

  #noteChoices(
    { key }: Delivery,
    { record: { state: { live, sent } }, place: { chatId } }: Ongoing,
    pieces: readonly TextBody[],
  ): void {
    const body = pieces.at(-1);
    const messageId = pieces.length > live.length ? sent.at(-1) : live.at(-1);
    if (body?.choices === undefined || messageId === undefined) return;
    this.#choices.note(key, { chatId, messageId, body });
  }

  /** Takes buttons away; where that fails they stay, and whoever presses is told. */
  async #close(key: string, text: string, signal: AbortSignal): Promise<void> {
    const open = this.#choices.take(key);
    if (open === undefined) return;
    const { text: question, entities } = open.body;
    const whole = `${question}\n\n${text.trim()}`;
    const body = { text: whole.length > TEXT_UNITS_MAX ? question : whole, entities };
    try {
      await this.#options.sender.edit(open, body, signal);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn("Buttons stay though it is decided: {reason}", { reason });
    }
  }

  /** Sends what is not sent yet, each part noted as tried before it goes out. */
  async #sendParts({ record, place }: Ongoing, signal: AbortSignal): Promise<void> {
    for (let part = nextPart(record); part !== undefined; part = nextPart(record)) {
      const { sent, live } = record.state;
      const isFirst = sent.length + live.length === 0;
      await record.save({ is_trying: true });
      try {
        const at = isFirst ? place : withoutQuote(place);
        const id = await this.#sendPart(at, part, signal);
        record.note({ sent: [...sent, id], is_trying: false });
      } catch (error) {
        if (signal.aborted || isAmbiguous(error)) throw error;
        await record.save({ is_trying: false });
        const replacement = replacementOf(part, error);
        if (replacement === null) throw error;
        await replace(record, replacement);
      }
    }
  }

  async #sendPart(place: Place, part: PartRecord, signal: AbortSignal): Promise<number> {
    const { sender } = this.#options;
    if (part.kind === "text") return await sender.text(place, part, signal);
    const read = await readPart(part);
    if (read.state === "ok") return await sender.file(place, read.body, signal);
    return await sender.text(place, { text: read.note, entities: [] }, signal);
  }

  #take(delivery: Delivery): Ongoing {
    const { key, chatId, context, channelState } = delivery;
    const known = this.#ongoing.get(key);
    if (known !== undefined) return known;
    const record = new DeliveryRecord(key, channelState, this.#options.remember);
    const place = placeOf(chatId, context, this.#options);
    const ongoing = { record, place, answer: new LiveAnswer({ ...this.#options, record, place }) };
    this.#ongoing.set(key, ongoing);
    const [oldest] = this.#ongoing.keys();
    if (this.#ongoing.size > ONGOING_MAX && oldest !== undefined) this.#ongoing.delete(oldest);
    return ongoing;
  }
}

function nextPart({ state: { parts, sent } }: DeliveryRecord): PartRecord | undefined {
  return parts?.[sent.length];
}

function textPart(body: TextBody): PartRecord {
  return { kind: "text", ...body };
}

/** Words before what may show a second time. */
async function announce(record: DeliveryRecord, notice: string): Promise<void> {
  await insert(record, [textPart({ text: notice, entities: [] })]);
}

/** Puts parts before those that are not sent yet, none of which is in doubt any more. */
async function insert(record: DeliveryRecord, added: readonly PartRecord[]): Promise<void> {
  const { parts, sent } = record.state;
  const all = (parts ?? []).toSpliced(sent.length, 0, ...added);
  await record.save({ parts: all, is_trying: false });
}

async function replace(record: DeliveryRecord, part: PartRecord): Promise<void> {
  const { parts, sent } = record.state;
  await record.save({ parts: (parts ?? []).toSpliced(sent.length, 1, part) });
}

/** What to send instead of a file that was refused; null when there is nothing. */
function replacementOf(part: PartRecord, error: unknown): PartRecord | null {
  if (part.kind === "text" || !isBadRequest(error) || isBadRequest(error, /chat/i)) return null;
  const reason = error instanceof Error ? error.message : String(error);
  logger.warn("Telegram refused a file as {kind}: {reason}", { kind: part.kind, reason });
  // No picture or sound to Telegram's eyes: people still get it as a file.
  if (part.kind !== "document") return { ...part, kind: "document" };
  return textPart({ text: unsentNote(part.path, "Telegram refused it"), entities: [] });
}

function inDoubt(key: string): DeliveryError {
  return new DeliveryError(
    "delivery_unknown",
    `Cannot send "${key}" again: an earlier try had no clear end, and Telegram knows no keys`,
  );
}
