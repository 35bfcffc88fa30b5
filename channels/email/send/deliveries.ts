/**
 * Sends each final delivery as one mail. No server knows keys, so a mail of which nobody knows
 * whether it is out is in doubt, and never sent again in silence; its id stays the same, by which
 * mail programs show a repetition once.
 * @module
 */

import { type Delivery, DeliveryError, type LookUp } from "../../channel.ts";
import { localPictures } from "../../markdown/pictures.ts";
import type { Remember } from "../../stored_record.ts";
import { compose } from "../adapters/composer.ts";
import { MailServerError } from "../errors.ts";
import type { EmailLink } from "../link.ts";
import { addressOf, type EmailSection } from "../manifest.ts";
import { htmlPage } from "../render/html.ts";
import { readFiles } from "./files.ts";
import { letterFor } from "./letter.ts";
import { mailRecord } from "./state.ts";

/** What sending needs. */
export interface DeliveriesOptions {
  readonly section: EmailSection;
  readonly link: EmailLink;
  readonly remember: Remember;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Where addresses in texts that name no folder begin; undefined: nowhere. */
  readonly workspaceFolder: string | undefined;
  /** A mail is out: a copy of it can be kept. */
  readonly onSent: (mail: Uint8Array) => void;
}

/** All deliveries of one channel; calls with the same key must not overlap. */
export class Deliveries {
  readonly #options: DeliveriesOptions;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Sends a final delivery. @returns the id of its mail, or none when there is nothing to send */
  async finish(delivery: Delivery, signal: AbortSignal): Promise<readonly string[]> {
    const { section, link, remember, onSent } = this.#options;
    if (this.#isUnwanted(delivery)) return [];
    const record = mailRecord(delivery.key, delivery.channelState, remember);
    const letter = letterFor(delivery, section);
    const { is_trying: isInDoubt, is_sent: isSent } = record.state;
    if (isSent) return [letter.messageId];
    if (isInDoubt && delivery.notice === undefined) throw inDoubt(delivery.key);
    const bytes = await this.#compose(delivery);
    await record.save({ is_trying: true });
    try {
      const from = addressOf(section);
      await link.post.send({ from, to: letter.to, bytes }, signal);
    } catch (error) {
      const isKnown = error instanceof MailServerError && error.failure !== "doubtful";
      // A repetition that failed leaves the first attempt in doubt.
      if (isKnown && !isInDoubt && !signal.aborted) await record.save({ is_trying: false });
      throw error;
    }
    record.note({ is_trying: false, is_sent: true });
    onSent(bytes);
    return [letter.messageId];
  }

  /** Looks among the mails that were sent. */
  async lookUp(delivery: Delivery, signal: AbortSignal): Promise<LookUp> {
    const { section, link, remember } = this.#options;
    const { messageId } = letterFor(delivery, section);
    const wasSent = await link.mailbox.wasSent(messageId, signal);
    if (wasSent === null) return "cannot_tell";
    if (wasSent) return "arrived";
    const record = mailRecord(delivery.key, delivery.channelState, remember);
    await record.save({ is_trying: false });
    return "absent";
  }

  /** Nothing is there to be sent, or answers are not. */
  #isUnwanted({ text, media, settles }: Delivery): boolean {
    if (text.trim() === "" && media.length === 0) return true;
    return !this.#options.section.autoReplyEnabled && settles.length > 0;
  }

  async #compose(delivery: Delivery): Promise<Uint8Array> {
    const { section, now, workspaceFolder } = this.#options;
    const { isPlain, media, notice = "" } = delivery;
    const letter = letterFor(delivery, section);
    const pictures = isPlain ? [] : localPictures(letter.text, workspaceFolder).values();
    const { files, note } = await readFiles([...pictures, ...media]);
    const text = [notice, letter.text.trim(), note].filter((piece) => piece !== "").join("\n\n");
    return await compose({
      letter: { ...letter, text },
      from: { name: section.fromName, address: addressOf(section) },
      sentMs: now(),
      html: isPlain ? null : htmlPage(text),
      files,
    });
  }
}

function inDoubt(key: string): DeliveryError {
  return new DeliveryError(
    "delivery_unknown",
    `Cannot send "${key}" again: an earlier try had no clear end, and mail servers know no keys`,
  );
}
