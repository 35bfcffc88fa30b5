/**
 * Puts messages where they belong, at a pace that Slack takes, and never twice: what is about to
 * appear is stored first, and what may have appeared is looked for.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { DeliveryError } from "../../channel.ts";
import type { MessageBody, SlackApi } from "../api.ts";
import {
  deliveryErrorOf,
  FORM_REASONS,
  isAmbiguous,
  isRateLimited,
  isRefusedFor,
  THREAD_GONE_REASONS,
} from "../errors.ts";
import { findAttempt } from "./look_up.ts";
import type { SendPace } from "./pace.ts";
import { type DeliveryRecord, type FileRecord, type PartRecord, sharedWith } from "./state.ts";
import type { Target } from "./targets.ts";

const logger = getLogger(["troupe", "slack", "sender"]);

/** Sends for one channel. Calls for the same record must not overlap. */
export class Sender {
  readonly api: SlackApi;
  readonly #pace: SendPace;
  readonly #clock: Clock;

  constructor(api: SlackApi, pace: SendPace, clock: Clock) {
    this.api = api;
    this.#pace = pace;
    this.#clock = clock;
  }

  /** Sends the record's next message. @throws {DeliveryError} */
  async post(
    record: DeliveryRecord,
    target: Target,
    part: PartRecord,
    signal: AbortSignal,
  ): Promise<void> {
    if (await this.#settleDoubt(record, target, signal) === "found") {
      // What was there before the answer was whole shows an earlier state of it.
      if (!record.state.has_grown) return;
      return await this.change(record, target, record.state.shown.length - 1, part, signal);
    }
    const key = record.nextKey;
    await this.#pace.message(target.channel, signal);
    const at_ms = this.#clock.now();
    await record.save({ attempt: { key, kind: "message", at_ms } });
    const ts = await this.#once(
      record,
      target.channel,
      () => this.#inAnyForm(part, (body) => this.#postTo(target, body, key, signal)),
    );
    record.note({ shown: [...record.state.shown, ts], attempt: null });
  }

  /** Makes a message show `part`, once the pace allows. @throws what Slack answers */
  async change(
    record: DeliveryRecord,
    target: Target,
    index: number,
    part: PartRecord,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#pace.change(signal);
    await this.changeNow(record, target, index, part, signal);
  }

  /** The same for a change that is counted already. @throws what Slack answers */
  async changeNow(
    record: DeliveryRecord,
    { channel }: Target,
    index: number,
    part: PartRecord,
    signal: AbortSignal,
  ): Promise<void> {
    const ts = record.state.shown[index];
    if (ts === undefined) return;
    const key = `${record.key}:${index}`;
    try {
      await this.#inAnyForm(part, (body) => this.api.update(channel, ts, body, key, signal));
    } catch (error) {
      if (isRateLimited(error)) this.#pace.holdChanges(deliveryErrorOf(error).retryAfterMs ?? 0);
      throw error;
    }
  }

  /** Shows an uploaded file. @throws {DeliveryError} */
  async share(
    record: DeliveryRecord,
    target: Target,
    file: FileRecord,
    signal: AbortSignal,
  ): Promise<void> {
    if (await this.#settleDoubt(record, target, signal) === "found") return;
    await this.#pace.message(target.channel, signal);
    const { file_id: id, name } = file;
    await record.save({ attempt: { key: id, kind: "file", at_ms: this.#clock.now() } });
    await this.#once(record, target.channel, () => this.api.share(target, { id, name }, signal));
    record.note({ files: sharedWith(record, id), attempt: null });
  }

  /** Takes a message back. @throws what Slack answers */
  async remove(target: Target, ts: string, signal: AbortSignal): Promise<void> {
    await this.api.remove(target.channel, ts, signal);
  }

  /**
   * Finds out what became of an attempt without a known end.
   *
   * @returns "found" when it is there, and noted
   * @throws {DeliveryError} when nobody can tell
   */
  async #settleDoubt(
    record: DeliveryRecord,
    target: Target,
    signal: AbortSignal,
  ): Promise<"found" | "missing"> {
    const found = await findAttempt(record, { api: this.api, target }, signal)
      .catch((error) => {
        throw deliveryErrorOf(error);
      });
    if (found !== "cannot_tell") return found;
    throw new DeliveryError(
      "delivery_unknown",
      `Cannot send "${record.key}" again: whether an earlier try arrived cannot be seen`,
    );
  }

  async #postTo(
    target: Target,
    body: MessageBody,
    key: string,
    signal: AbortSignal,
  ): Promise<string> {
    const { channel, whisperTo } = target;
    if (whisperTo !== undefined) return await this.api.whisper(channel, whisperTo, body, signal);
    try {
      return await this.api.post(target, body, key, signal);
    } catch (error) {
      if (target.threadTs === undefined || !isRefusedFor(error, THREAD_GONE_REASONS)) throw error;
      return await this.api.post({ channel, threadTs: undefined }, body, key, signal);
    }
  }

  /** Where Slack does not take the form, the words alone. */
  async #inAnyForm<T>(part: PartRecord, send: (body: MessageBody) => Promise<T>): Promise<T> {
    const { text, blocks } = part;
    try {
      return await send({ text, blocks });
    } catch (error) {
      if (!isRefusedFor(error, FORM_REASONS)) throw error;
      logger.warn("Slack refused a form ({reason}); sending the words alone", {
        reason: error.reason,
      });
      return await send({ text, blocks: undefined });
    }
  }

  /** What surely had no effect is in doubt no more. */
  async #once<T>(
    record: DeliveryRecord,
    channel: string,
    send: () => Promise<T>,
  ): Promise<T> {
    try {
      return await send();
    } catch (error) {
      if (isRateLimited(error)) {
        this.#pace.holdChannel(channel, deliveryErrorOf(error).retryAfterMs ?? 0);
      }
      if (!isAmbiguous(error)) {
        await record.save({ attempt: null });
        throw deliveryErrorOf(error);
      }
      const message = error instanceof Error ? error.message : String(error);
      throw new DeliveryError("delivery_unknown", message, { cause: error });
    } finally {
      this.#pace.answered(channel);
    }
  }
}
