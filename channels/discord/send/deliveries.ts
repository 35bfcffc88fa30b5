/**
 * Shows deliveries: a growing one in messages that are edited, a final one in those or in new ones.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Clock, sleep } from "../../../actors/kernel/clock.ts";
import { activityLines } from "../../activity.ts";
import type { Delivery, LookUp } from "../../channel.ts";
import { localPictures } from "../../markdown/pictures.ts";
import { mendTail } from "../../markdown/tail.ts";
import { OpenChoices } from "../../open_choices.ts";
import { type Remember, StoredRecord } from "../../stored_record.ts";
import type { DiscordApi } from "../api.ts";
import { layOut, MESSAGE_CHARS_MAX } from "../render/messages.ts";
import { Answer } from "./answer.ts";
import { type Found, lookUpMessage } from "./look_up.ts";
import { stableNonce } from "./nonce.ts";
import { type DirectChannels, Outlet } from "./outlet.ts";
import { type FileRecord, readState, type TextRecord, writeState } from "./state.ts";
import { targetOf } from "./target.ts";

const logger = getLogger(["troupe", "discord", "deliveries"]);

/** What showing deliveries needs. */
export interface DeliveriesOptions {
  readonly api: DiscordApi;
  readonly direct: DirectChannels;
  readonly clock: Clock;
  readonly remember: Remember;
  readonly replyToMessage: boolean;
  readonly toolHintPrefix: string;
  /** Where addresses in texts that name no folder begin; undefined: nowhere. */
  readonly workspaceFolder: string | undefined;
}

/** A message with buttons. */
interface Asked {
  readonly outlet: Outlet;
  readonly messageId: string;
  readonly text: string;
}

/** Growing answers kept in memory; an older one goes on from its stored state. */
const ONGOING_MAX = 1_000;
/** The platform takes five changes in five seconds. */
const GROW_EVERY_MS = 1_000;
/** What stands in an answer without text: a message cannot be empty. */
const NO_TEXT = "…";

/** All deliveries of one channel; calls with the same key must not overlap. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #ongoing = new Map<string, Answer>();
  readonly #choices = new OpenChoices<Asked>();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Shows a growing delivery as it stands. Resolves when the next growth can be shown at once. */
  async grow(delivery: Delivery, signal: AbortSignal): Promise<readonly string[]> {
    const { clock, toolHintPrefix } = this.#options;
    const answer = this.#take(delivery);
    const { record } = answer;
    const before = record.state.shown;
    const footer = activityLines(delivery.activity, toolHintPrefix);
    const laidOut = layOut(mendTail(delivery.text), { isPlain: delivery.isPlain, footer });
    const texts = laidOut.length === 0 && before.length > 0 ? [NO_TEXT] : laidOut;
    if (texts.length === 0) return [];
    await answer.showTexts(textRecords(record.key, texts), signal);
    // What is there is known also to the next run.
    if (record.state.shown !== before) await record.save({});
    await sleep(clock, GROW_EVERY_MS, signal);
    return record.state.shown;
  }

  /** Shows a final delivery: files, then the text. */
  async finish(delivery: Delivery, signal: AbortSignal): Promise<readonly string[]> {
    const answer = this.#take(delivery);
    this.#prepare(answer, delivery);
    if (delivery.notice !== undefined) await announce(answer, delivery.notice);
    const fileIds = await answer.sendFiles(signal);
    await answer.showTexts(finalTexts(answer), signal);
    this.#ongoing.delete(delivery.key);
    this.#noteChoices(delivery, answer);
    if (delivery.closes !== undefined) await this.#close(delivery.closes, delivery.text, signal);
    return [...fileIds, ...answer.record.state.shown];
  }

  /**
   * Finds out what became of an attempt without a clear end.
   *
   * @throws what the platform answers
   */
  async lookUp(delivery: Delivery, botId: string, signal: AbortSignal): Promise<LookUp> {
    const answer = this.#take(delivery);
    this.#prepare(answer, delivery);
    const { record } = answer;
    const { attempt_ms: attemptMs, files, shown } = record.state;
    const fileAt = files.findIndex(({ message_id: id }) => id === null);
    const file = files[fileAt];
    const text = finalTexts(answer)[shown.length];
    const contents = file ?? text;
    // Nothing is in doubt but changes, which may be repeated.
    if (attemptMs === null || contents === undefined) return "absent";
    const others = [...shown, ...files.flatMap(({ message_id: id }) => id ?? [])];
    const channelId = answer.outlet.channelId;
    const wanted = { channelId, botId, attemptMs, others, contents };
    const found = await lookUpMessage(this.#options.api, wanted, signal);
    if (found === "cannot_tell") return found;
    const change = found === "absent"
      ? {}
      : file === undefined
      ? { shown: [...shown, found.id] }
      : { files: files.with(fileAt, { ...file, message_id: found.id }) };
    await record.save({ ...change, attempt_ms: null });
    return isWhole(answer, found) ? "arrived" : "absent";
  }

  #noteChoices({ key, choices = [] }: Delivery, answer: Answer): void {
    const text = finalTexts(answer).at(-1)?.text;
    const messageId = answer.record.state.shown.at(-1);
    if (choices.length === 0 || text === undefined || messageId === undefined) return;
    this.#choices.note(key, { outlet: answer.outlet, messageId, text });
  }

  /** Takes buttons away; where that fails they stay, and whoever presses is told. */
  async #close(key: string, decision: string, signal: AbortSignal): Promise<void> {
    const asked = this.#choices.take(key);
    if (asked === undefined) return;
    const { outlet, messageId, text: question } = asked;
    const whole = `${question}\n\n${layOut(decision, { isPlain: false })[0] ?? ""}`;
    const text = whole.length > MESSAGE_CHARS_MAX ? question : whole;
    try {
      await outlet.change(messageId, { text, choices: [] }, signal);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn("Buttons stay though it is decided: {reason}", { reason });
    }
  }

  /** Lays out, once, what will be sent. */
  #prepare({ record }: Answer, { key, text, isPlain, media, choices = [] }: Delivery): void {
    if (record.state.texts !== null) return;
    const { workspaceFolder } = this.#options;
    const pictures = isPlain ? [] : [...localPictures(text, workspaceFolder).values()];
    const files = [...new Set([...media, ...pictures])].map((path, at): FileRecord => ({
      path,
      nonce: stableNonce(key, "file", at),
      message_id: null,
    }));
    const texts = textRecords(key, layOut(text, { isPlain }));
    const last = texts.at(-1);
    record.note({
      files,
      texts: last === undefined || choices.length === 0
        ? texts
        : texts.with(-1, { ...last, choices }),
    });
  }

  #take({ key, chatId, context, channelState }: Delivery): Answer {
    const known = this.#ongoing.get(key);
    if (known !== undefined) return known;
    const { api, direct, clock, remember } = this.#options;
    const answer = new Answer({
      record: new StoredRecord({
        key,
        state: readState(channelState),
        write: writeState,
        remember,
      }),
      outlet: new Outlet(api, direct, targetOf(chatId, context, this.#options)),
      clock,
    });
    this.#ongoing.set(key, answer);
    const [oldest] = this.#ongoing.keys();
    if (this.#ongoing.size > ONGOING_MAX && oldest !== undefined) this.#ongoing.delete(oldest);
    return answer;
  }
}

function textRecords(key: string, texts: readonly string[]): readonly TextRecord[] {
  return texts.map((text, at) => ({ text, nonce: stableNonce(key, "text", at) }));
}

/** Words before what may show a second time; its old key protects nothing any more. */
async function announce({ record }: Answer, notice: string): Promise<void> {
  const { texts, shown, attempt_ms: attemptMs } = record.state;
  if (texts === null || attemptMs === null) return;
  const nonce = stableNonce(record.key, "notice", shown.length);
  const words = layOut(notice, { isPlain: true }).map((text) => ({ text, nonce }));
  const isThere = texts[shown.length]?.nonce === nonce;
  await record.save({
    texts: isThere ? texts : texts.toSpliced(shown.length, 0, ...words),
    attempt_ms: null,
  });
}

/** With words about what could not be sent. */
function finalTexts({ record }: Answer): readonly TextRecord[] {
  const { texts, note } = record.state;
  if (note === "") return texts ?? [];
  const [words = ""] = layOut(note, { isPlain: true });
  const last = texts?.at(-1);
  const joined = `${last?.text ?? ""}\n\n${words}`;
  if (last !== undefined && joined.length <= MESSAGE_CHARS_MAX) {
    return [...(texts ?? []).slice(0, -1), { ...last, text: joined }];
  }
  return [...texts ?? [], { text: words, nonce: stableNonce(record.key, "note") }];
}

/** Is all of it there, and the last one as it should be? */
function isWhole(answer: Answer, found: Found | "absent"): boolean {
  if (found === "absent") return false;
  const { files, shown } = answer.record.state;
  const texts = finalTexts(answer);
  const last = texts.at(-1)?.text.trim();
  return files.every(({ message_id: id }) => id !== null) && shown.length === texts.length &&
    (last === undefined || shown.at(-1) !== found.id || found.content.trim() === last);
}
