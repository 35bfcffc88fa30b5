/**
 * The messages of one delivery: its files, and the texts that grow or stand. Each is sent once.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import { DeliveryError } from "../../channel.ts";
import type { StoredRecord } from "../../stored_record.ts";
import type { Sent } from "../api.ts";
import { isAmbiguous } from "../errors.ts";
import { fileToSend, noteOfRefusal } from "./files.ts";
import { NONCE_WINDOW_MS, stableNonce } from "./nonce.ts";
import type { Contents, Outlet } from "./outlet.ts";
import type { DeliveryState, FileRecord, TextRecord } from "./state.ts";

/** What an answer is made of. */
export interface AnswerOptions {
  readonly record: StoredRecord<DeliveryState>;
  readonly outlet: Outlet;
  readonly clock: Clock;
}

/** One delivery at the platform. Its calls must not overlap; they throw what the platform answers. */
export class Answer {
  readonly record: StoredRecord<DeliveryState>;
  readonly outlet: Outlet;
  readonly #clock: Clock;
  /** What each message shows, as far as this run knows. */
  readonly #seen = new Map<string, string>();

  constructor({ record, outlet, clock }: AnswerOptions) {
    this.record = record;
    this.outlet = outlet;
    this.#clock = clock;
  }

  /**
   * Sends the files that are not sent yet; words about those that cannot be go to the state's note.
   *
   * @returns the ids of all
   */
  async sendFiles(signal: AbortSignal): Promise<readonly string[]> {
    const { record } = this;
    for (const [at, file] of record.state.files.entries()) {
      if (file.message_id !== null) continue;
      const { id, note } = await this.#sendFile(file, at === 0, signal);
      const notes = [record.state.note, note].filter((words) => words !== "").join("\n");
      const files = record.state.files.with(at, { ...file, message_id: id });
      record.note({ files, note: notes, attempt_ms: null });
    }
    return record.state.files.flatMap(({ message_id: id }) => id || []);
  }

  /** Makes the messages show these texts: changed, added, or taken back. */
  async showTexts(texts: readonly TextRecord[], signal: AbortSignal): Promise<void> {
    for (const [at, text] of texts.entries()) await this.#showText(text, at, signal);
    const { record, outlet } = this;
    for (let { shown } = record.state; shown.length > texts.length; shown = record.state.shown) {
      await outlet.remove(shown.at(-1) ?? "", signal);
      record.note({ shown: shown.slice(0, -1) });
    }
  }

  async #showText(
    { nonce, ...said }: TextRecord,
    at: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { record, outlet } = this;
    const print = JSON.stringify(said);
    const known = record.state.shown[at];
    if (known !== undefined) {
      if (this.#seen.get(known) === print) return;
      if (await outlet.change(known, said, signal)) return void this.#seen.set(known, print);
    }
    // One that is gone is shown anew, under a key of its own.
    const key = known === undefined ? nonce : stableNonce(nonce, known);
    const isFirst = at === 0 && record.state.files.length === 0;
    const sent = await this.#show({ ...said, nonce: key, isFirst }, signal);
    const { shown } = record.state;
    record.note({
      shown: at < shown.length ? shown.with(at, sent.id) : [...shown, sent.id],
      attempt_ms: null,
    });
    // Where the key was known, the message shows what it showed then.
    if (sent.content.trim() !== said.text.trim()) await outlet.change(sent.id, said, signal);
    this.#seen.set(sent.id, print);
  }

  async #sendFile(
    { path, nonce }: FileRecord,
    isFirst: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly id: string; readonly note: string }> {
    const read = await fileToSend(path);
    if (read.state === "unsent") return { id: "", note: read.note };
    try {
      const sent = await this.#show({ text: "", nonce, isFirst, file: read.file }, signal);
      return { id: sent.id, note: "" };
    } catch (error) {
      return { id: "", note: noteOfRefusal(path, error) };
    }
  }

  /**
   * Sends something new. That it may be there is stored before; that it is, with the next one, or by
   * the receipt.
   *
   * @throws {DeliveryError} an earlier attempt is in doubt, and its key no longer protects
   */
  async #show(contents: Contents, signal: AbortSignal): Promise<Sent> {
    const { record, outlet } = this;
    const nowMs = this.#clock.now();
    const { attempt_ms: attemptMs } = record.state;
    if (attemptMs === null) await record.save({ attempt_ms: nowMs });
    else if (nowMs - attemptMs >= NONCE_WINDOW_MS) throw wornOut(record.key);
    try {
      return await outlet.show(contents, signal);
    } catch (error) {
      if (!isAmbiguous(error)) await record.save({ attempt_ms: null });
      throw error;
    }
  }
}

function wornOut(key: string): DeliveryError {
  return new DeliveryError(
    "delivery_unknown",
    `Cannot send "${key}" again: an earlier try had no clear end, and Discord no longer knows its key`,
  );
}
