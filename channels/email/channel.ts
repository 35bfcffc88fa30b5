/**
 * The e-mail channel: one mailbox that is read, and the mails that answer.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { untilAborted } from "../../actors/kernel/aborting.ts";
import { Background } from "../background.ts";
import type { Channel, ChannelContext, Delivery, DeliveryReceipt, LookUp } from "../channel.ts";
import { Delivering } from "../delivering.ts";
import { MediaStore } from "../media/adapters/media_store.ts";
import { Speech } from "../media/speech.ts";
import { reportedRun } from "../running.ts";
import { deliveryErrorOf, lastingRefusal, MailServerError } from "./errors.ts";
import type { EmailLink } from "./link.ts";
import { addressOf, type EmailSection } from "./manifest.ts";
import { keepReading } from "./reading.ts";
import { Receiver } from "./receive/receiver.ts";
import type { Undelivered } from "./receive/reports.ts";
import { Deliveries } from "./send/deliveries.ts";

const logger = getLogger(["troupe", "email", "channel"]);

/** One mailbox. */
export class EmailChannel implements Channel {
  /** A mail is sent once; nobody wants to see it grow. */
  readonly isStreaming = false;
  readonly #section: EmailSection;
  readonly #context: ChannelContext;
  readonly #openLink: () => EmailLink;
  readonly #delivering: Delivering;
  readonly #background: Background;
  #link: EmailLink | null = null;
  #deliveries: Deliveries | null = null;

  /** @param openLink gives both servers; called once, at first use */
  constructor(section: EmailSection, context: ChannelContext, openLink: () => EmailLink) {
    this.#section = section;
    this.#context = context;
    this.#openLink = openLink;
    this.#background = new Background(logger, context.signal);
    this.#delivering = new Delivering({
      signal: context.signal,
      isStreaming: false,
      grow: () => Promise.resolve([]),
      finish: (delivery, signal) => this.#open().finish(delivery, signal),
      settle: () => Promise.resolve(),
      errorOf: deliveryErrorOf,
    });
  }

  async run(): Promise<void> {
    await reportedRun(this.#context, async () => {
      await using _ended = this.#background;
      await this.#read();
    });
  }

  async deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryReceipt> {
    return await this.#delivering.deliver(delivery, signal);
  }

  async lookUp(delivery: Delivery, signal: AbortSignal): Promise<LookUp> {
    const look = (linked: AbortSignal): Promise<LookUp> => this.#open().lookUp(delivery, linked);
    return await this.#delivering.lookUp(delivery, signal, look);
  }

  async #read(): Promise<void> {
    const context = this.#context;
    const { signal, name, clock } = context;
    const section = this.#section;
    const { mailbox } = this.#servers();
    await this.#checkPost();
    const store = new MediaStore(context.mediaFolder, context.newId);
    await store.clean();
    const speech = new Speech((path) => untilAborted(context.transcribe(path), signal));
    const receiver = new Receiver({
      section,
      channel: name,
      ownAddresses: ownAddressesOf(section),
      clock,
      files: { store, speech },
      handIn: (inbound) => context.handIn(inbound),
      onUndelivered: (undelivered) => this.#noteUndelivered(undelivered),
    });
    const isChecked = section.verifyDkim || section.verifySpf;
    if (!isChecked) {
      logger.warn(
        "Senders are not checked (verifyDkim and verifySpf are off): anybody can write " +
          "in the name of somebody who is let in",
      );
    }
    await keepReading({
      server: mailbox,
      context,
      pollIntervalMs: section.pollIntervalSeconds * 1_000,
      authServId: isChecked ? section.authServId : null,
      receive: (head, opened, authServId) => receiver.receive(head, opened, authServId),
    }, signal);
  }

  /** That answers can go out is looked at before any is asked for; what may pass is left to them. */
  async #checkPost(): Promise<void> {
    const { signal } = this.#context;
    try {
      await this.#servers().post.check(signal);
    } catch (error) {
      signal.throwIfAborted();
      const refusal = lastingRefusal(error);
      if (refusal !== null) throw refusal;
      if (!(error instanceof MailServerError)) throw error;
      logger.warn("{reason}; sending is tried all the same", { reason: error.message });
    }
  }

  /** A notice to the owners that did not arrive is no reason for another one. */
  #noteUndelivered({ kind, recipient, subject, reason }: Undelivered): void {
    const details = { recipient: recipient || "somebody", subject, reason };
    logger.error('The mail "{subject}" to {recipient} did not arrive: {reason}', details);
    if (kind === "notice") return;
    this.#context.informOwners?.(
      `The mail "${subject}" to ${details.recipient} was sent, but did not arrive: ${reason}`,
    );
  }

  #servers(): EmailLink {
    return this.#link ??= this.#openLink();
  }

  #open(): Deliveries {
    const { clock, remember, signal, workspaceFolder } = this.#context;
    const link = this.#servers();
    return this.#deliveries ??= new Deliveries({
      section: this.#section,
      link,
      remember,
      now: () => clock.now(),
      workspaceFolder,
      onSent: (mail) => {
        this.#background.run(
          "keep a copy of a mail that was sent",
          () => link.mailbox.keepSent(mail, signal),
        );
      },
    });
  }
}

/** All addresses under which the bot may have written, in lower case. */
function ownAddressesOf(section: EmailSection): ReadonlySet<string> {
  const { smtpUsername, imapUsername } = section;
  return new Set([addressOf(section), smtpUsername.toLowerCase(), imapUsername.toLowerCase()]);
}
