/**
 * Shows deliveries: a growing one in messages that are changed, a final one in those and further
 * ones, its files first.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Clock, sleep } from "../../../actors/kernel/clock.ts";
import { activityLines } from "../../activity.ts";
import { type Delivery, DeliveryError, type LookUp } from "../../channel.ts";
import { OpenChoices } from "../../open_choices.ts";
import { localPictures } from "../../markdown/pictures.ts";
import { mendTail } from "../../markdown/tail.ts";
import type { Remember } from "../../stored_record.ts";
import { choiceBlocks } from "../choice_value.ts";
import { isRefusedFor, MESSAGE_GONE_REASONS, SlackRefusedError } from "../errors.ts";
import { refusedNote, uploadFiles } from "./files.ts";
import { findAttempt } from "./look_up.ts";
import type { Growth, SendPace } from "./pace.ts";
import { decidedPart, growingParts, partsOf } from "./render.ts";
import type { Sender } from "./sender.ts";
import { DeliveryRecord, type PartRecord } from "./state.ts";
import type { Target, Targets } from "./targets.ts";

const logger = getLogger(["troupe", "slack", "deliveries"]);

/** What showing deliveries needs. */
export interface DeliveriesOptions {
  readonly sender: Sender;
  readonly targets: Targets;
  readonly pace: SendPace;
  readonly clock: Clock;
  readonly remember: Remember;
  /** Where addresses in texts that name no folder begin; undefined: nowhere. */
  readonly workspaceFolder: string | undefined;
}

/** A delivery on its way. */
interface Ongoing {
  readonly record: DeliveryRecord;
  readonly target: Target;
  /** What each message shows, as far as this life of the channel knows. */
  readonly contents: Map<number, string>;
  /** Its share of the changes while it grows; null until it does, and when there is none left. */
  growth: Growth | null;
  /** When the next change may go out. */
  nextMs: number;
}

/** A message with buttons. */
interface Asked {
  readonly target: Target;
  readonly ts: string;
  /** Names the message. */
  readonly key: string;
  readonly part: PartRecord;
}

/** People see no difference above that, and Slack takes fifty changes a minute. */
const CHANGE_INTERVAL_MS = 1_500;
/** Growing answers kept in memory; an older one goes on from its stored state. */
const ONGOING_MAX = 1_000;
const TOOL_HINT_PREFIX = "🔧";

/** All deliveries of one channel; calls with the same key must not overlap. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #ongoing = new Map<string, Ongoing>();
  readonly #choices = new OpenChoices<Asked>();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /**
   * Shows a growing delivery as it stands. Resolves when a next call can be shown at once: so the
   * newest text is what people see next.
   *
   * @throws {DeliveryError} what Slack answers
   */
  async grow(delivery: Delivery, signal: AbortSignal): Promise<readonly string[]> {
    const { clock, pace } = this.#options;
    const running = activityLines(delivery.activity, TOOL_HINT_PREFIX);
    const parts = growingParts(mendTail(delivery.text), running);
    if (parts.length === 0) return [];
    const ongoing = await this.#take(delivery, signal);
    // A message that one person alone sees cannot be changed.
    if (ongoing.target.whisperTo !== undefined) return [];
    ongoing.growth ??= pace.grow();
    if (ongoing.growth !== null) await this.#showGrowing(ongoing, parts, ongoing.growth, signal);
    await sleep(clock, Math.max(0, ongoing.nextMs - clock.now()), signal);
    return ongoing.record.state.shown;
  }

  /** Shows a final delivery: files, then the text. @throws {DeliveryError} what Slack answers */
  async finish(delivery: Delivery, signal: AbortSignal): Promise<readonly string[]> {
    const ongoing = await this.#take(delivery, signal);
    const { record, target } = ongoing;
    if (delivery.notice !== undefined) await this.#announce(record, delivery.notice);
    await this.#prepare(ongoing, delivery, signal);
    const notes = await this.#shareFiles(ongoing, signal);
    const extra = notes.length === 0 ? [] : partsOf(notes.join("\n"), true);
    const parts = [...record.state.parts ?? [], ...extra];
    for (const index of parts.keys()) await this.#showPart(ongoing, parts, index, signal);
    if (record.state.attempt !== null) await this.#find(ongoing, signal);
    await this.#removeFrom(ongoing, parts.length, signal);
    this.forget(delivery.key);
    this.#noteChoices(delivery, ongoing);
    if (delivery.closes !== undefined) await this.#close(delivery.closes, delivery.text, signal);
    const { files, shown } = record.state;
    const isWhisper = target.whisperTo !== undefined;
    return [...files.map(({ file_id: id }) => id), ...(isWhisper ? [] : shown)];
  }

  /** Finds out what became of an attempt without a known end. @throws what Slack answers */
  async lookUp(delivery: Delivery, signal: AbortSignal): Promise<LookUp> {
    const ongoing = await this.#take(delivery, signal);
    const { record } = ongoing;
    const found = await this.#find(ongoing, signal);
    if (found === "cannot_tell") return found;
    await record.save({});
    const { parts, shown, files, has_grown: hasGrown } = record.state;
    const isWhole = parts !== null && shown.length === parts.length && !hasGrown &&
      files.every(({ is_shared: isShared }) => isShared);
    return found === "found" && isWhole ? "arrived" : "absent";
  }

  /** Lets a delivery go that is over. */
  forget(key: string): void {
    this.#ongoing.get(key)?.growth?.[Symbol.dispose]();
    this.#ongoing.delete(key);
  }

  #find({ record, target }: Ongoing, signal: AbortSignal): ReturnType<typeof findAttempt> {
    return findAttempt(record, { api: this.#options.sender.api, target }, signal);
  }

  /** The first sight of each part, and the changes there are to spare. */
  async #showGrowing(
    ongoing: Ongoing,
    parts: readonly PartRecord[],
    growth: Growth,
    signal: AbortSignal,
  ): Promise<void> {
    const { sender, clock } = this.#options;
    const { record, target, contents } = ongoing;
    if (!record.state.has_grown) record.note({ has_grown: true });
    for (const [index, part] of parts.entries()) {
      if (index >= record.state.shown.length) {
        await this.#post(ongoing, part, signal);
        await record.save({}, "written"); // it could be found out again
      } else if (contents.get(index) !== contentOf(part)) {
        if (!growth.mayChange()) break;
        await sender.changeNow(record, target, index, part, signal);
        contents.set(index, contentOf(part));
      } else continue;
      ongoing.nextMs = clock.now() + CHANGE_INTERVAL_MS;
    }
  }

  async #showPart(
    ongoing: Ongoing,
    parts: readonly PartRecord[],
    index: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { sender } = this.#options;
    const { record, target, contents } = ongoing;
    const part = parts[index];
    if (part === undefined) return;
    const { shown, has_grown: hasGrown } = record.state;
    if (index >= shown.length) return await this.#post(ongoing, part, signal);
    if (!hasGrown || contents.get(index) === contentOf(part)) return;
    try {
      await sender.change(record, target, index, part, signal);
    } catch (error) {
      if (!isRefusedFor(error, MESSAGE_GONE_REASONS)) throw error;
      // Somebody deleted what grew: the answer comes anew, from this part on.
      await this.#removeFrom(ongoing, index + 1, signal);
      await record.save({ shown: shown.slice(0, index) });
      await this.#post(ongoing, part, signal);
    }
    contents.set(index, contentOf(part));
  }

  async #post(ongoing: Ongoing, part: PartRecord, signal: AbortSignal): Promise<void> {
    const { record, target, contents } = ongoing;
    await this.#options.sender.post(record, target, part, signal);
    contents.set(record.state.shown.length - 1, contentOf(part));
  }

  /** Uploads and renders, once, what will be shown. */
  async #prepare(ongoing: Ongoing, delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { record, target } = ongoing;
    if (record.state.parts !== null) return;
    const { sender, workspaceFolder } = this.#options;
    const { text, isPlain, media } = delivery;
    const pictures = isPlain ? [] : localPictures(text, workspaceFolder).values();
    const { files, note } = await uploadFiles(
      sender.api,
      [...new Set([...media, ...pictures])],
      signal,
    );
    const whole = [text.trim(), note].filter((piece) => piece !== "").join("\n\n");
    // What one person alone sees could not lose its buttons again.
    const buttons = target.whisperTo === undefined ? choiceBlocks(delivery) : [];
    const parts = withLast(partsOf(whole, isPlain), buttons);
    if (parts.length === 0 && files.length === 0) return record.note({ parts });
    await record.save({ parts, files });
  }

  #noteChoices({ key, choices = [] }: Delivery, { record, target }: Ongoing): void {
    const { parts, shown } = record.state;
    const index = (parts?.length ?? 0) - 1;
    const part = parts?.[index];
    const ts = shown[index];
    if (choices.length === 0 || part === undefined || ts === undefined) return;
    this.#choices.note(key, { target, ts, key: `${key}:${index}`, part });
  }

  /** Takes buttons away; where that fails they stay, and whoever presses is told. */
  async #close(key: string, text: string, signal: AbortSignal): Promise<void> {
    const asked = this.#choices.take(key);
    if (asked === undefined) return;
    const { sender, pace } = this.#options;
    const { target, ts, part } = asked;
    try {
      await pace.change(signal);
      await sender.api.update(target.channel, ts, decidedPart(part, text), asked.key, signal);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn("Buttons stay though it is decided: {reason}", { reason });
    }
  }

  /** Gives a sentence for each file that Slack does not show after all. */
  async #shareFiles({ record, target }: Ongoing, signal: AbortSignal): Promise<readonly string[]> {
    const notes: string[] = [];
    for (const file of record.state.files) {
      if (file.is_shared) continue;
      try {
        await this.#options.sender.share(record, target, file, signal);
      } catch (error) {
        const { cause } = error instanceof DeliveryError ? error : { cause: error };
        const isRefused = error instanceof DeliveryError && error.code === "delivery_permanent" &&
          cause instanceof SlackRefusedError;
        if (!isRefused) throw error;
        notes.push(refusedNote(file.name, cause));
      }
    }
    return notes;
  }

  /** Words before what may show a second time. */
  async #announce(record: DeliveryRecord, notice: string): Promise<void> {
    const { parts, shown, attempt } = record.state;
    if (parts === null || attempt === null) return;
    await record.save({
      parts: parts.toSpliced(shown.length, 0, ...partsOf(notice, true)),
      attempt: null,
    });
  }

  /** What grew longer than the answer in the end is taken back. */
  async #removeFrom(
    { record, target, contents }: Ongoing,
    start: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { shown } = record.state;
    for (const ts of shown.slice(start)) {
      try {
        await this.#options.sender.remove(target, ts, signal);
      } catch (error) {
        if (!(error instanceof SlackRefusedError)) throw error;
        logger.warn("A message stays unfinished: {reason}", { reason: error.message });
      }
    }
    for (const index of contents.keys()) if (index >= start) contents.delete(index);
    if (shown.length > start) record.note({ shown: shown.slice(0, start) });
  }

  async #take(delivery: Delivery, signal: AbortSignal): Promise<Ongoing> {
    const { key, chatId, context, channelState } = delivery;
    const known = this.#ongoing.get(key);
    if (known !== undefined) return known;
    const { targets, remember } = this.#options;
    const ongoing: Ongoing = {
      record: new DeliveryRecord(key, channelState, remember),
      target: await targets.find(chatId, context, signal),
      contents: new Map(),
      growth: null,
      nextMs: -Infinity,
    };
    this.#ongoing.set(key, ongoing);
    const [oldest] = this.#ongoing.keys();
    if (this.#ongoing.size > ONGOING_MAX && oldest !== undefined) this.forget(oldest);
    return ongoing;
  }
}

/** With these blocks below the last part. */
function withLast(
  parts: readonly PartRecord[],
  added: PartRecord["blocks"],
): readonly PartRecord[] {
  const last = parts.at(-1);
  if (last === undefined || added.length === 0) return parts;
  return parts.with(-1, { ...last, blocks: [...last.blocks, ...added] });
}

function contentOf(part: PartRecord): string {
  return JSON.stringify(part);
}
