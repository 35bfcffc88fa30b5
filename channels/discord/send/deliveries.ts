/**
 * Shows deliveries: a growing one in messages that are edited, a final one in those or in new ones.
 * @module
 */

import { type Clock, sleep } from "../../../actors/kernel/clock.ts";
import { activityLines } from "../../activity.ts";
import type { Delivery, LookUp } from "../../channel.ts";
import { localPictures } from "../../markdown/pictures.ts";
import { mendTail } from "../../markdown/tail.ts";
import { type Remember, StoredRecord } from "../../stored_record.ts";
import type { DiscordApi } from "../api.ts";
import { layOut, MESSAGE_CHARS_MAX } from "../render/messages.ts";
import { Answer } from "./answer.ts";
import { type Found, lookUpMessage } from "./look_up.ts";
import { stableNonce } from "./nonce.ts";
import { type DirectChannels, Outlet } from "./outlet.ts";
import { type FileRecord, readState, type TextRecord, writeState } from "./state.ts";
import { targetOf } from "./target.ts";

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

  /** Lays out, once, what will be sent. */
  #prepare({ record }: Answer, { key, text, isPlain, media }: Delivery): void {
    if (record.state.texts !== null) return;
    const { workspaceFolder } = this.#options;
    const pictures = isPlain ? [] : [...localPictures(text, workspaceFolder).values()];
    const files = [...new Set([...media, ...pictures])].map((path, at): FileRecord => ({
      path,
      nonce: stableNonce(key, "file", at),
      message_id: null,
    }));
    record.note({ files, texts: textRecords(key, layOut(text, { isPlain })) });
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
