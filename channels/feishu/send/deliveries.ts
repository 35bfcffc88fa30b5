/**
 * Shows deliveries: a growing one in a card, a final one in that card or as messages.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import type { JsonValue } from "../../../actors/kernel/json.ts";
import { activityLines } from "../../activity.ts";
import type { Delivery, LookUp } from "../../channel.ts";
import { CARD_FORBIDDEN_CODES, FeishuRefusedError, isPassing } from "../errors.ts";
import type { Lookups } from "../lookups.ts";
import { localPictures } from "../../markdown/pictures.ts";
import { OpenChoices } from "../../open_choices.ts";
import { choiceParts, decidedCard } from "./choice_parts.ts";
import { LiveAnswer } from "./live_answer.ts";
import { lookUpPart } from "./look_up.ts";
import { uploadMedia, uploadPictures } from "./media.ts";
import { sendParts } from "./part_sender.ts";
import { renderParts } from "./parts.ts";
import type { Remember } from "../../stored_record.ts";
import { DeliveryRecord } from "./record.ts";
import type { Sender } from "./sender.ts";
import { type Target, targetOf } from "./target.ts";

const logger = getLogger(["troupe", "feishu", "deliveries"]);

/** What showing deliveries needs. */
export interface DeliveriesOptions {
  readonly sender: Sender;
  readonly lookups: Lookups;
  readonly clock: Clock;
  readonly remember: Remember;
  readonly replyToMessage: boolean;
  readonly toolHintPrefix: string;
  /** Where addresses in texts that name no folder begin; undefined: nowhere. */
  readonly workspaceFolder: string | undefined;
}

/** A delivery on its way. */
interface Ongoing {
  readonly record: DeliveryRecord;
  readonly target: Target;
  readonly answer: LiveAnswer;
  /** Cards do not work for it: it will come as messages. */
  isWithoutCards: boolean;
}

/** Growing answers kept in memory; an older one goes on from its stored state. */
const ONGOING_MAX = 1_000;

/** All deliveries of one channel; calls with the same key must not overlap. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #ongoing = new Map<string, Ongoing>();
  /** Messages with buttons. */
  readonly #choices = new OpenChoices<string>();
  #areCardsForbidden = false;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Shows a growing delivery as it stands; where cards do not work, nothing until it is final. */
  async grow(delivery: Delivery, signal: AbortSignal): Promise<readonly string[]> {
    const ongoing = this.#take(delivery);
    if (ongoing.isWithoutCards || this.#areCardsForbidden) return [];
    const running = activityLines(delivery.activity, this.#options.toolHintPrefix);
    try {
      const { text, reasoning = "" } = delivery;
      await ongoing.answer.grow({ text, reasoning, running }, signal);
    } catch (error) {
      this.#giveUpCards(ongoing, error);
    }
    return ongoing.answer.messageIds;
  }

  /** Shows a final delivery: files, then the text. */
  async finish(delivery: Delivery, signal: AbortSignal): Promise<readonly string[]> {
    const ongoing = this.#take(delivery);
    if (isEmpty(delivery) && !ongoing.answer.hasCards) {
      this.#ongoing.delete(delivery.key);
      return [];
    }
    if (delivery.notice !== undefined) await this.#announce(ongoing, delivery.notice);
    await this.#prepare(ongoing, delivery, signal);
    const ids = [...await this.#send(ongoing, signal)];
    if (ongoing.answer.hasCards) {
      ids.push(...await this.#finishCards(ongoing, delivery, signal));
    }
    this.#ongoing.delete(delivery.key);
    this.#noteChoices(delivery, ongoing.record);
    if (delivery.closes !== undefined) await this.#close(delivery.closes, delivery.text, signal);
    return ids;
  }

  /**
   * Finds out what became of an attempt without a clear end.
   *
   * @throws what the platform answers
   */
  async lookUp(delivery: Delivery, signal: AbortSignal): Promise<LookUp> {
    const { record, target } = this.#take(delivery);
    const { state } = record;
    // Changes of a card may be repeated; whether one that is not known was shown, nobody tells.
    if (state.cards.some(({ message_id: id }) => id === null)) return "cannot_tell";
    const knownMessageId = [...state.sent, textOf(delivery.context["message_id"])].join(" ");
    const found = await lookUpPart(record, {
      lookups: this.#options.lookups,
      target,
      knownMessageId: knownMessageId.trim().split(" ")[0] ?? "",
      threadId: textOf(delivery.context["thread_id"]),
      nowMs: this.#options.clock.now(),
    }, signal);
    if (found === "cannot_tell") return found;
    await record.save({});
    const { parts, sent, cards } = record.state;
    const isWhole = parts !== null && sent.length === parts.length && cards.length === 0;
    return found === "found" && isWhole ? "arrived" : "absent";
  }

  /** Words before what may show a second time; its old keys protect nothing any more. */
  async #announce({ record }: Ongoing, notice: string): Promise<void> {
    const { parts, sent, attempt_ms: attemptMs } = record.state;
    if (parts === null || attemptMs === null || parts.length === sent.length) return;
    const options = { isPlain: true, images: new Map<string, string>() };
    const words = renderParts(`${record.key}:notice`, notice, options);
    const isThere = parts[sent.length]?.uuid === words[0]?.uuid;
    await record.save({
      parts: isThere ? parts : parts.toSpliced(sent.length, 0, ...words),
      attempt_ms: null,
    });
  }

  /** Uploads and renders, once, what will be sent as messages. */
  async #prepare(ongoing: Ongoing, delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { record, answer } = ongoing;
    if (record.state.parts !== null) return;
    const { key, text, isPlain } = delivery;
    const { sender, clock, workspaceFolder } = this.#options;
    const files = isPlain ? new Map<string, string>() : localPictures(text, workspaceFolder);
    const pictures = await uploadPictures(sender.api, files, signal);
    const shown = new Set(Object.keys(pictures.keys).map((address) => files.get(address)));
    const media = delivery.media.filter((path) => !shown.has(path));
    const { parts, note: mediaNote } = await uploadMedia(sender.api, key, media, signal);
    const note = [pictures.note, mediaNote].filter((words) => words !== "").join("\n");
    const isTextInParts = !answer.hasCards || ongoing.isWithoutCards;
    const images = new Map(Object.entries(pictures.keys));
    const texts = isTextInParts ? renderParts(key, withNote(text, note), { isPlain, images }) : [];
    const all = [...parts, ...texts, ...choiceParts(delivery)];
    await record.save({
      parts: all,
      note,
      images: pictures.keys,
      is_text_in_parts: isTextInParts,
      attempt_ms: all.length > 0 ? clock.now() : null,
    });
  }

  /** Ends the cards: with the whole text, or, where that went elsewhere, by taking them back. */
  async #finishCards(
    ongoing: Ongoing,
    delivery: Delivery,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { record, answer } = ongoing;
    const { state } = record;
    const text = withNote(delivery.text, state.note);
    if (state.is_text_in_parts || text === "") {
      await this.#withdraw(ongoing, signal);
      return [];
    }
    try {
      await answer.complete(text, signal);
      return answer.messageIds;
    } catch (error) {
      this.#giveUpCards(ongoing, error);
    }
    const images = new Map(Object.entries(state.images));
    const texts = renderParts(delivery.key, text, { isPlain: delivery.isPlain, images });
    await record.save({ parts: [...state.parts ?? [], ...texts], is_text_in_parts: true });
    const ids = await this.#send(ongoing, signal);
    await this.#withdraw(ongoing, signal);
    return ids.slice(state.sent.length);
  }

  #noteChoices({ key, choices = [] }: Delivery, { state: { parts, sent } }: DeliveryRecord): void {
    const messageId = sent.at(-1);
    // What was refused as a card has no buttons.
    if (choices.length === 0 || messageId === undefined) return;
    if (parts?.at(-1)?.form !== "interactive") return;
    this.#choices.note(key, messageId);
  }

  /** Takes buttons away; where that fails they stay, and whoever presses is told. */
  async #close(key: string, text: string, signal: AbortSignal): Promise<void> {
    const messageId = this.#choices.take(key);
    if (messageId === undefined) return;
    const { sender } = this.#options;
    try {
      await sender.card(() => sender.api.patchCard(messageId, decidedCard(text), signal), signal);
    } catch (error) {
      logger.warn("Buttons stay though it is decided: {reason}", { reason: reasonOf(error) });
    }
  }

  async #send({ record, target }: Ongoing, signal: AbortSignal): Promise<readonly string[]> {
    return await sendParts(this.#options, record, target, signal);
  }

  /** The whole text stands in messages, or there is none: half a card must not stay beside it. */
  async #withdraw({ answer }: Ongoing, signal: AbortSignal): Promise<void> {
    try {
      await answer.withdraw(signal);
    } catch (error) {
      logger.warn("A card stays unfinished: {reason}", { reason: reasonOf(error) });
    }
  }

  /** @throws `error`, unless it is a refusal that will not pass */
  #giveUpCards(ongoing: Ongoing, error: unknown): void {
    if (isPassing(error) || !(error instanceof FeishuRefusedError)) throw error;
    ongoing.isWithoutCards = true;
    if (!CARD_FORBIDDEN_CODES.has(error.platformCode)) {
      logger.warn("An answer cannot grow in a card and will come whole: {reason}", {
        reason: error.message,
      });
    } else if (!this.#areCardsForbidden) {
      this.#areCardsForbidden = true;
      logger.warn(
        "Answers cannot grow in cards and will come whole: the app lacks the permission " +
          "cardkit:card:write (code {code})",
        { code: error.platformCode },
      );
    }
  }

  #take(delivery: Delivery): Ongoing {
    const { key, chatId, context, channelState } = delivery;
    const known = this.#ongoing.get(key);
    if (known !== undefined) return known;
    const { sender, clock, remember } = this.#options;
    const record = new DeliveryRecord(key, channelState, remember);
    const target = targetOf(chatId, context, this.#options);
    const answer = new LiveAnswer({ sender, clock, record, target });
    const ongoing: Ongoing = { record, target, answer, isWithoutCards: false };
    this.#ongoing.set(key, ongoing);
    const [oldest] = this.#ongoing.keys();
    if (this.#ongoing.size > ONGOING_MAX && oldest !== undefined) this.#ongoing.delete(oldest);
    return ongoing;
  }
}

function isEmpty({ text, media }: Delivery): boolean {
  return text.trim() === "" && media.length === 0;
}

function withNote(text: string, note: string): string {
  return [text.trim(), note].filter((piece) => piece !== "").join("\n\n");
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
