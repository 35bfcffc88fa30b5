/**
 * Takes messages in: admission before anything is kept, then the durable hand-in, in the order of
 * arrival, again and again until the gateway has them.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Clock, sleep } from "../../../actors/kernel/clock.ts";
import type { ChannelContext, ChannelInbound } from "../../channel.ts";
import { tryHandIn } from "../../handing_in.ts";
import { Lateness } from "../../lateness.ts";
import { Strangers } from "../../strangers.ts";
import type { Inbox, InboxEntry } from "../adapters/inbox.ts";
import { idOf, isListed, type PersonIds } from "../ids.ts";
import type { ReceivedMessage } from "../wire.ts";
import { type AdmissionRules, admit, revokedId, senderOf } from "./admission.ts";
import type { MessageContents, Received } from "./contents.ts";
import { draftOf } from "./draft.ts";
import { chatIdOf, commandIn, inboundOf } from "./message.ts";

const logger = getLogger(["troupe", "whatsapp", "receiver"]);

/** What a receiver needs. */
export interface ReceiverOptions extends Omit<AdmissionRules, "self"> {
  readonly inbox: Pick<Inbox, "first" | "remove">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly contents: Pick<MessageContents, "atOnce">;
  readonly handIn: ChannelContext["handIn"];
  readonly withdraw: ChannelContext["withdraw"];
  /** The number behind an id became known. */
  readonly learn: (lid: string, phone: string) => void;
  /** A new message was accepted; it may be a draft. */
  readonly onAccepted: (inbound: ChannelInbound) => void;
}

/** For so long the server keeps what nobody fetched. */
const KEPT_MS = 30 * 24 * 3_600_000;
/** The gateway could not take a message: waits before the next attempts. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const NOBODY: PersonIds = { phone: null, lid: null };

/** Judges and hands in the messages of one device. */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #strangers: Strangers;
  readonly #lateness = new Lateness(KEPT_MS);
  #self: PersonIds = NOBODY;
  #isRunning = false;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    const { allowFrom } = options;
    const key = "channels.whatsapp.allowFrom";
    this.#strangers = new Strangers({ logger, key, allowFrom, ids: "phone numbers" });
  }

  /** Who the bot is. */
  isSelf(self: PersonIds): void {
    this.#self = self;
  }

  /** Is this message one to keep and hand in? */
  isWanted(message: ReceivedMessage): boolean {
    const admission = admit(message, { ...this.#options, self: this.#self });
    switch (admission.verdict) {
      case "ignored":
        logger.debug("Ignored a message: {reason}", { reason: admission.reason });
        return false;
      case "stranger":
        this.#strangers.note(idOf(admission.sender));
        return false;
      case "admitted":
        this.learn(admission.sender);
        return true;
    }
  }

  /** Remembers the number behind the id of somebody who may write. */
  learn(person: PersonIds): void {
    const { phone, lid } = person;
    const { allowFrom, phoneOf, learn } = this.#options;
    if (phone === null || lid === null || !isListed(person, allowFrom)) return;
    if (phoneOf(lid) !== phone) learn(lid, phone);
  }

  /** Hands in what is kept; resolves when that is nothing more. Calls do not add up. */
  async handInAll(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { inbox, clock, signal } = this.#options;
    try {
      let waitMs = FIRST_WAIT_MS;
      for (let entry = inbox.first(); entry !== null && !signal.aborted;) {
        if (await this.#take(entry)) {
          inbox.remove(entry);
          waitMs = FIRST_WAIT_MS;
        } else {
          await sleep(clock, waitMs, signal);
          waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
        }
        if (signal.aborted) return;
        entry = inbox.first();
      }
    } finally {
      this.#isRunning = false;
    }
  }

  /** @returns whether the message may be forgotten */
  async #take({ number, message }: InboxEntry): Promise<boolean> {
    if (message === null) {
      logger.error("Cannot read message {number} of the inbox; it is dropped", { number });
      return true;
    }
    const sender = senderOf(message, this.#options);
    const revoked = revokedId(message);
    if (revoked !== null) return await this.#withdraw({ ...message, id: revoked }, sender);
    const lateMs = this.#lateness.of(
      String(message.sentSeconds * 1_000),
      this.#options.clock.now(),
    );
    const command = commandIn(message, this.#self);
    if (command !== null && lateMs > 0) {
      logger.warn("Ignored a command: it came {lateMs} ms late", { lateMs });
      return true;
    }
    const received = { message, sender, self: this.#self, lateMs };
    const contents = command === null
      ? this.#contentsOf(received)
      : { content: command, media: [] };
    const inbound = { ...inboundOf(message, sender), ...contents };
    const result = await tryHandIn(this.#options.handIn, inbound, logger);
    if (result === "accepted") this.#options.onAccepted(inbound);
    return result !== "refused";
  }

  /** Only their own messages can people take back. */
  async #withdraw(revoked: ReceivedMessage, sender: PersonIds): Promise<boolean> {
    const { platformId } = inboundOf(revoked, sender);
    try {
      await this.#options.withdraw(platformId);
      return true;
    } catch (error) {
      const chatId = chatIdOf(revoked, sender);
      logger.warn("Cannot take a message of {chatId} back: {error}", { chatId, error });
      return false;
    }
  }

  #contentsOf(received: Received): Pick<ChannelInbound, "content" | "media" | "draft"> {
    return this.#options.contents.atOnce(received) ??
      { content: "", media: [], draft: draftOf(received) };
  }
}
