/**
 * Takes mails in, one after the other: admission by the header block, then the words and files, then
 * the durable hand-in. The mailbox keeps a mail until then, so nothing has to be remembered here.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import type { ChannelInbound, HandInResult, InboundContents } from "../../channel.ts";
import { Lateness, lateNote } from "../../lateness.ts";
import { MediaError } from "../../media/adapters/media_store.ts";
import { Strangers } from "../../strangers.ts";
import { parseHead, parseMail } from "../adapters/mail_parser.ts";
import type { MailHead, OpenMailbox } from "../link.ts";
import type { EmailSection } from "../manifest.ts";
import { shortHash } from "../../short_hash.ts";
import { type Admission, type AdmissionRules, admit } from "./admission.ts";
import { type BodyOptions, composed, linesAbove, wordsOf } from "./body.ts";
import { type FilesOptions, keepFiles } from "./files.ts";
import type { Head, Mail } from "./mail.ts";
import { answeredOf, commandIn, inboundOf, platformIdOf } from "./message.ts";
import { readReport, type Undelivered } from "./reports.ts";
import { SenderRates } from "./sender_rates.ts";

const logger = getLogger(["troupe", "email", "receiver"]);

const MEGABYTE = 1_000_000;
/** Words alone; files of mails that are larger than the files may be are not fetched. */
const WORDS_BYTES_MAX = MEGABYTE;
/** No mail is fetched beyond that, whatever the section allows. */
const MAIL_BYTES_MAX = 64 * MEGABYTE;
/** How much files grow on their way. */
const ENCODED_SHARE = 1.4;
const REPORT_BYTES_MAX = MEGABYTE / 2;
/** After a connection is back, a server gives mails that came meanwhile; for this long they are late. */
const LATE_MS_MAX = 365 * 24 * 3_600_000;

const UNREADABLE = "(this mail could not be read)";

/** What a receiver needs. */
export interface ReceiverOptions {
  readonly section: EmailSection;
  /** Runtime name of the channel. */
  readonly channel: string;
  readonly ownAddresses: ReadonlySet<string>;
  readonly clock: Clock;
  readonly files: Pick<FilesOptions, "store" | "speech">;
  /** Resolves when the message is durable. */
  readonly handIn: (inbound: ChannelInbound) => Promise<HandInResult>;
  /** A mail of the bot's did not arrive. */
  readonly onUndelivered: (undelivered: Undelivered) => void;
}

/** Judges and hands in the mails of one mailbox. */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #strangers: Strangers;
  readonly #rates: SenderRates;
  readonly #lateness = new Lateness(LATE_MS_MAX);

  constructor(options: ReceiverOptions) {
    this.#options = options;
    const { allowFrom, maxPerSender } = options.section;
    const key = "channels.email.allowFrom";
    this.#strangers = new Strangers({ logger, key, allowFrom, ids: "mail addresses" });
    this.#rates = new SenderRates(maxPerSender);
  }

  /**
   * Takes a mail.
   *
   * @param authServId by what name the own server signs its checks; null while that is not known
   * @returns false when the gateway could not take it now
   * @throws {MailServerError} when the connection is lost
   */
  async receive(
    found: MailHead,
    mailbox: OpenMailbox,
    authServId: string | null,
  ): Promise<boolean> {
    const head = await readableHead(found);
    if (head === null) return true;
    const { section, ownAddresses } = this.#options;
    const rules: AdmissionRules = { ...section, ownAddresses, authServId };
    const admission = admit(head, rules);
    switch (admission.verdict) {
      case "own":
        return await this.#seen(found, mailbox);
      case "report":
        return await this.#takeReport(found, mailbox);
      case "admitted":
        return await this.#take({ found, head, sender: admission.sender }, mailbox);
      default:
        this.#noteRefusal(admission);
        return true;
    }
  }

  #noteRefusal(
    admission: Extract<Admission, { readonly verdict: "ignored" | "stranger" | "doubtful" }>,
  ): void {
    if (admission.verdict === "stranger") return this.#strangers.note(admission.sender);
    const { reason } = admission;
    if (admission.verdict === "ignored") {
      return logger.debug("Ignored a mail: {reason}", { reason });
    }
    const { sender } = admission;
    logger.warn("Refused a mail that says it is from {sender}: {reason}", { sender, reason });
  }

  async #take(
    { found, head, sender }: {
      readonly found: MailHead;
      readonly head: Head;
      readonly sender: string;
    },
    mailbox: OpenMailbox,
  ): Promise<boolean> {
    const { clock, channel, section } = this.#options;
    if (!this.#rates.allows(sender, found.receivedMs)) {
      logger.warn(
        "Ignored a mail of {sender}, of whom too many came: two programs may be talking",
        {
          sender,
        },
      );
      return true;
    }
    const lateMs = this.#lateness.of(String(found.receivedMs), clock.now());
    const contents = await this.#contents(found, head, mailbox, lateMs);
    if (contents === null) return true;
    const platformId = platformIdOf(head, found.headers);
    const inbound = { ...inboundOf(head, platformId, { ...section, channel }), ...contents };
    const result = await this.#options.handIn(inbound).catch((error): HandInResult => {
      logger.warn("Cannot hand in {platformId}: {error}", { platformId, error });
      return "refused";
    });
    if (result === "refused") return false;
    if (result === "accepted") this.#rates.count(sender, found.receivedMs);
    return await this.#seen(found, mailbox);
  }

  /** Text and files of a mail; null when it is gone, or a command that comes too late. */
  async #contents(
    found: MailHead,
    head: Head,
    mailbox: OpenMailbox,
    lateMs: number,
  ): Promise<InboundContents | null> {
    const { section, ownAddresses, files } = this.#options;
    const isWhole = found.size <= mailBytesMax(section);
    const source = await mailbox.source(found.uid, isWhole ? found.size + 1 : WORDS_BYTES_MAX);
    if (source === null) return null;
    const mail = await readable(source, head);
    const bodyOptions: BodyOptions = {
      maxBodyChars: section.maxBodyChars,
      ownAddresses,
      isQuoteKnown: answeredOf(head)?.kind !== "proactive",
    };
    const words = await wordsOf(mail, bodyOptions).catch(() => UNREADABLE);
    const command = mail.files.length === 0 ? commandIn(words) : null;
    if (command !== null && lateMs > 0) {
      logger.warn("Ignored a command: it came {lateMs} ms late", { lateMs });
      return null;
    }
    if (command !== null) return { content: command, media: [] };
    const kept = isWhole
      ? await this.#keep(mail, platformIdOf(head, found.headers), files)
      : { lines: [tooLarge(found.size)], media: [] };
    const above = [lateNote(lateMs), ...linesAbove(mail, bodyOptions)];
    return { content: composed(above, words, kept.lines), media: kept.media };
  }

  /** Files, unless the disk is at fault: then the words count. */
  async #keep(
    { files }: Mail,
    platformId: string,
    { store, speech }: Pick<FilesOptions, "store" | "speech">,
  ): Promise<{ readonly lines: readonly string[]; readonly media: readonly string[] }> {
    try {
      const options = { ...this.#options.section, store, speech };
      return await keepFiles(files, shortHash(platformId, 12), options);
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      return { lines: ["[attachments could not be stored]"], media: [] };
    }
  }

  async #takeReport(found: MailHead, mailbox: OpenMailbox): Promise<boolean> {
    const source = await mailbox.source(found.uid, REPORT_BYTES_MAX);
    if (source === null) return true;
    const undelivered = await readReport(await parseMail(source));
    if (undelivered === null) return true;
    this.#options.onUndelivered(undelivered);
    return await this.#seen(found, mailbox);
  }

  async #seen({ uid }: MailHead, mailbox: OpenMailbox): Promise<true> {
    if (this.#options.section.markSeen) await mailbox.markSeen(uid);
    return true;
  }
}

/** What a mail's header block says; null when it cannot be read, so that nobody can be answered. */
async function readableHead({ headers, uid }: MailHead): Promise<Head | null> {
  try {
    return await parseHead(headers);
  } catch (error) {
    logger.error("Cannot read the header block of mail {uid}: {error}", { uid, error });
    return null;
  }
}

/** A mail that cannot be read is handed on as far as its header block goes. */
async function readable(source: Uint8Array, head: Head): Promise<Mail> {
  try {
    return await parseMail(source);
  } catch (error) {
    logger.error("Cannot read a mail beyond its header block: {error}", { error });
    return { ...head, text: UNREADABLE, html: "", files: [] };
  }
}

/** The largest mail whose files are fetched. */
function mailBytesMax({ maxAttachmentSize, maxAttachmentsPerEmail }: EmailSection): number {
  const filesBytes = maxAttachmentSize * maxAttachmentsPerEmail * ENCODED_SHARE;
  return Math.min(WORDS_BYTES_MAX + filesBytes, MAIL_BYTES_MAX);
}

function tooLarge(bytes: number): string {
  return `[the mail has ${Math.ceil(bytes / MEGABYTE)} MB: its attachments were not taken]`;
}
