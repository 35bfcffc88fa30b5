/**
 * An answer that grows in messages which are changed: one, and further ones as it gets longer.
 * @module
 */

import { type Clock, sleep } from "../../../actors/kernel/clock.ts";
import type { Delivery } from "../../channel.ts";
import { mendTail } from "../../markdown/tail.ts";
import { isAmbiguous } from "../errors.ts";
import type { Place, TextBody } from "../link.ts";
import { piecesOf, TEXT_UNITS_MAX } from "../render/pieces.ts";
import { isGroup } from "./pace.ts";
import type { Sender } from "./sender.ts";
import type { DeliveryRecord } from "./state.ts";
import { withoutQuote } from "./target.ts";

/** What a live answer needs. */
export interface LiveAnswerOptions {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly record: DeliveryRecord;
  readonly place: Place;
  readonly toolHintPrefix: string;
  readonly editIntervalMs: number;
}

/** Groups take 20 messages and changes a minute, some of them of other answers. */
const GROUP_INTERVAL_MS = 5_000;

/** The messages of one answer. */
export class LiveAnswer {
  readonly #options: LiveAnswerOptions;
  /** What each message shows, as far as this life of the channel knows. */
  readonly #shown: string[] = [];
  #changedAtMs = -Infinity;

  constructor(options: LiveAnswerOptions) {
    this.#options = options;
  }

  /** Shows the text as it stands, not more often than the platform likes. */
  async grow({ text, isPlain, activity }: Delivery, signal: AbortSignal): Promise<void> {
    const words = isPlain ? text : mendTail(text);
    const pieces = withActivity(piecesOf(words, { isPlain }), this.#activityOf(activity));
    const isNews = pieces.some((piece, index) => this.#shown[index] !== fingerprint(piece));
    if (!isNews) return;
    await this.#wait(signal);
    const { record } = this.#options;
    for (const [index, piece] of pieces.entries()) {
      if (index < record.state.live.length) await this.#edit(index, piece, signal);
      else await this.#add(piece, signal);
    }
    this.#changedAtMs = this.#options.clock.now();
  }

  /**
   * Gives the messages their last texts, and takes those away that have none.
   *
   * @returns texts whose messages are gone
   */
  async finish(pieces: readonly TextBody[], signal: AbortSignal): Promise<readonly TextBody[]> {
    const { record, sender, place: { chatId } } = this.#options;
    const kept: number[] = [];
    const lost: TextBody[] = [];
    for (const [index, messageId] of record.state.live.entries()) {
      const piece = pieces[index];
      if (piece === undefined) await sender.remove({ chatId, messageId }, signal);
      else if (await this.#edit(index, piece, signal)) kept.push(messageId);
      else lost.push(piece);
    }
    if (kept.length !== record.state.live.length) record.note({ live: kept });
    return lost;
  }

  async #edit(index: number, piece: TextBody, signal: AbortSignal): Promise<boolean> {
    const { record, sender, place: { chatId } } = this.#options;
    const messageId = record.state.live[index];
    const print = fingerprint(piece);
    if (messageId === undefined || this.#shown[index] === print) return true;
    const isThere = await sender.edit({ chatId, messageId }, piece, signal);
    this.#shown[index] = print;
    return isThere;
  }

  async #add(piece: TextBody, signal: AbortSignal): Promise<void> {
    const { record, sender, place } = this.#options;
    const { live } = record.state;
    await record.save({ is_trying: true });
    try {
      const at = live.length === 0 ? place : withoutQuote(place);
      const id = await sender.text(at, piece, signal);
      this.#shown[live.length] = fingerprint(piece);
      await record.save({ live: [...live, id], is_trying: false });
    } catch (error) {
      if (!signal.aborted && !isAmbiguous(error)) await record.save({ is_trying: false });
      throw error;
    }
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { clock, editIntervalMs, place: { chatId } } = this.#options;
    const intervalMs = isGroup(chatId)
      ? Math.max(editIntervalMs, GROUP_INTERVAL_MS)
      : editIntervalMs;
    const waitMs = this.#changedAtMs + intervalMs - clock.now();
    if (waitMs > 0) await sleep(clock, waitMs, signal);
  }

  #activityOf(activity: string): string {
    const { toolHintPrefix: prefix } = this.#options;
    return activity.split("\n").map((hint) => hint.trim()).filter((hint) => hint !== "")
      .map((hint) => `${prefix} ${hint}`.trim()).join("\n");
  }
}

/** What runs stands below the last piece, slanted, if there is room. */
function withActivity(pieces: readonly TextBody[], activity: string): readonly TextBody[] {
  if (activity === "") return pieces;
  const last = pieces.at(-1);
  const text = last === undefined ? "" : `${last.text}\n\n`;
  if (text.length + activity.length > TEXT_UNITS_MAX) return pieces;
  const mark = { type: "italic", offset: text.length, length: activity.length } as const;
  const shown = { text: text + activity, entities: [...last?.entities ?? [], mark] };
  return [...pieces.slice(0, -1), shown];
}

function fingerprint({ text, entities, choices }: TextBody): string {
  return JSON.stringify([text, entities, choices]);
}
