/**
 * Shows final deliveries: files, then the text. As nothing has a key, each send is noted before it
 * goes out: one of which nobody knows whether it arrived is in doubt, and never repeated in silence.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Delivery, DeliveryError } from "../../channel.ts";
import { localPictures } from "../../markdown/pictures.ts";
import { unsentNote } from "../../media/unsent.ts";
import type { Remember } from "../../stored_record.ts";
import type { DingTalkApi, Place, RobotContent } from "../api.ts";
import { isAmbiguous, isBadRequest, toldWaitOf } from "../errors.ts";
import { markdownMessage, messagesOf } from "../render/messages.ts";
import { fileMessage, filePart, otherWay, readPart } from "./files.ts";
import type { SendPace } from "./pace.ts";
import { type DeliveryRecord, type FilePart, type PartRecord, recordOf } from "./state.ts";
import { placeOf } from "./target.ts";

const logger = getLogger(["troupe", "dingtalk", "deliveries"]);

/** What showing deliveries needs. */
export interface DeliveriesOptions {
  readonly api: Pick<DingTalkApi, "send" | "upload">;
  readonly pace: SendPace;
  readonly remember: Remember;
  /** Where addresses in texts that name no folder begin; undefined: nowhere. */
  readonly workspaceFolder: string | undefined;
}

/** Attempts kept in memory; an older one goes on from its stored state. */
const FAILED_MAX = 1_000;

/** A file that DingTalk did not take, before any message of it went out. */
class UnwantedFile extends Error {}

/** All deliveries of one channel; calls with the same key must not overlap. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  /** Failed attempts keep what they know: the journal's copy of it may be older. */
  readonly #failed = new Map<string, DeliveryRecord>();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Shows a delivery. @returns the keys of its messages */
  async finish(delivery: Delivery, signal: AbortSignal): Promise<readonly string[]> {
    const { key, channelState, notice } = delivery;
    const record = this.#failed.get(key) ?? recordOf(key, channelState, this.#options.remember);
    this.#failed.set(key, record);
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > FAILED_MAX && oldest !== undefined) this.#failed.delete(oldest);
    const { is_trying: isInDoubt } = record.state;
    if (isInDoubt && notice === undefined) throw inDoubt(key);
    if (record.state.parts === null) record.note({ parts: await this.#partsOf(delivery) });
    if (isInDoubt && notice !== undefined) await insertNotice(record, notice);
    await this.#sendParts(record, delivery.chatId, signal);
    this.#failed.delete(key);
    return record.state.sent;
  }

  /** A delivery is given up for good. */
  forget(key: string): void {
    this.#failed.delete(key);
  }

  /** Renders, once, what will be sent. */
  async #partsOf({ isPlain, text, media }: Delivery): Promise<readonly PartRecord[]> {
    const pictures = isPlain ? [] : localPictures(text, this.#options.workspaceFolder).values();
    const files: FilePart[] = [];
    const notes: string[] = [];
    for (const path of new Set([...pictures, ...media])) {
      const part = filePart(path);
      const read = await readPart(part);
      if (read.state === "ok") files.push(part);
      else notes.push(read.note);
    }
    return [...files, ...textParts([text.trim(), ...notes], isPlain)];
  }

  /** Sends what is not sent yet, each part noted as tried before it goes out. */
  async #sendParts(record: DeliveryRecord, chatId: string, signal: AbortSignal): Promise<void> {
    const place = placeOf(chatId);
    for (let part = nextPart(record); part !== undefined; part = nextPart(record)) {
      try {
        const content = await this.#contentOf(part, signal);
        await record.save({ is_trying: true });
        const id = await this.#send(place, chatId, content, signal);
        record.note({ sent: [...record.state.sent, id], is_trying: false });
      } catch (error) {
        if (error instanceof UnwantedFile) {
          await replace(record, insteadOf(part, error));
          continue;
        }
        if (record.state.is_trying && (signal.aborted || isAmbiguous(error))) throw error;
        if (record.state.is_trying) await record.save({ is_trying: false });
        if (part.kind !== "image" || !isBadRequest(error)) throw error;
        await replace(record, insteadOf(part, new UnwantedFile("", { cause: error })));
      }
    }
  }

  /** What a part sends; files are uploaded for it, which nobody sees. @throws {UnwantedFile} */
  async #contentOf(part: PartRecord, signal: AbortSignal): Promise<RobotContent> {
    if (!("path" in part)) return textMessage(part);
    const read = await readPart(part);
    if (read.state !== "ok") throw new UnwantedFile(read.note);
    const { api, pace } = this.#options;
    try {
      const upload = () => api.upload(read.upload, signal);
      const mediaId = await pace.call("upload", signal, upload);
      return fileMessage(part, read.upload, mediaId);
    } catch (error) {
      if (!isBadRequest(error)) throw asNotSent(error);
      throw new UnwantedFile("", { cause: error });
    }
  }

  async #send(
    place: Place,
    chatId: string,
    content: RobotContent,
    signal: AbortSignal,
  ): Promise<string> {
    const { api, pace } = this.#options;
    try {
      const isGroup = "conversationId" in place;
      return await pace.message(chatId, isGroup, signal, () => api.send(place, content, signal));
    } catch (error) {
      const waitMs = toldWaitOf(error);
      if (waitMs > 0) pace.hold(chatId, waitMs);
      throw error;
    }
  }
}

function nextPart({ state: { parts, sent } }: DeliveryRecord): PartRecord | undefined {
  return parts?.[sent.length];
}

function textMessage({ kind, text }: TextPart): RobotContent {
  return kind === "markdown"
    ? markdownMessage(text)
    : { msgKey: "sampleText", msgParam: { content: text } };
}

type TextPart = Exclude<PartRecord, FilePart>;

function textParts(pieces: readonly string[], isPlain: boolean): readonly PartRecord[] {
  const text = pieces.filter((piece) => piece !== "").join("\n\n");
  return messagesOf(text, isPlain).map(({ msgKey, msgParam }): PartRecord =>
    msgKey === "sampleText"
      ? { kind: "plain", text: String(msgParam["content"]) }
      : { kind: "markdown", text: String(msgParam["text"]) }
  );
}

/** Words before what may show a second time: none of that is in doubt any more. */
async function insertNotice(record: DeliveryRecord, notice: string): Promise<void> {
  const { parts, sent } = record.state;
  const all = (parts ?? []).toSpliced(sent.length, 0, { kind: "plain", text: notice });
  await record.save({ parts: all, is_trying: false });
}

async function replace(record: DeliveryRecord, part: PartRecord): Promise<void> {
  const { parts, sent } = record.state;
  await record.save({ parts: (parts ?? []).toSpliced(sent.length, 1, part) });
}

/** What to send in place of a file that DingTalk does not take, or that is gone. */
function insteadOf(part: PartRecord, { message: note, cause }: UnwantedFile): PartRecord {
  if (!("path" in part)) return part;
  if (note !== "") return { kind: "plain", text: note };
  const reason = cause instanceof Error ? cause.message : String(cause);
  logger.warn("DingTalk refused a file as {kind}: {reason}", { kind: part.kind, reason });
  return otherWay(part) ??
    { kind: "plain", text: unsentNote(part.path, "DingTalk refused it") };
}

/** An upload that has no clear end can be tried again: nobody has seen anything. */
function asNotSent(error: unknown): unknown {
  if (!isAmbiguous(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new DeliveryError("delivery_transient", message, { cause: error });
}

function inDoubt(key: string): DeliveryError {
  return new DeliveryError(
    "delivery_unknown",
    `Cannot send "${key}" again: an earlier try had no clear end, and DingTalk knows no keys`,
  );
}
