/**
 * The QQ channel: one bot, one gateway connection, everything it sends.
 * @module
 */

import type { Channel, ChannelContext, Delivery, DeliveryReceipt, LookUp } from "../channel.ts";
import { Delivering } from "../delivering.ts";
import { Admittance, reportedRun } from "../running.ts";
import { QqApi } from "./api.ts";
import { deliveryErrorOf, QqCredentialsError } from "./errors.ts";
import { keepConnection } from "./gateway/connection.ts";
import { Progress } from "./gateway/progress.ts";
import type { QqLink } from "./link.ts";
import { manifest, type QqSection } from "./manifest.ts";
import { Receiving } from "./receive/receiving.ts";
import { Deliveries } from "./send/deliveries.ts";
import { SendPace } from "./send/pace.ts";
import { placeIn } from "./send/place.ts";
import { Replies } from "./send/replies.ts";
import { Sender } from "./send/sender.ts";
import { sequenceOf } from "./send/sequence.ts";
import type { QqMessage } from "./wire.ts";

/** One bot's connection to QQ. */
export class QqChannel implements Channel {
  /** A bot has a few answers to each message: none to show one that grows. */
  readonly isStreaming = false;
  readonly #section: QqSection;
  readonly #context: ChannelContext;
  readonly #link: QqLink;
  readonly #api: QqApi;
  readonly #replies: Replies;
  readonly #sender: Sender;
  readonly #deliveries: Deliveries;
  readonly #delivering: Delivering;
  readonly #admittance = new Admittance((error) =>
    error instanceof QqCredentialsError ? error : null
  );
  /** Read when it is first needed: which chats are groups counts for deliveries as well. */
  #progress: Promise<Progress> | null = null;

  constructor(section: QqSection, context: ChannelContext, link: QqLink) {
    const { clock, signal } = context;
    this.#section = section;
    this.#context = context;
    this.#link = link;
    this.#api = new QqApi({ link, clock, signal });
    this.#replies = new Replies(clock);
    this.#sender = new Sender(this.#api, new SendPace(clock));
    this.#deliveries = new Deliveries({
      sender: this.#sender,
      replies: this.#replies,
      remember: (key, state, keeping) => context.remember(key, state, keeping),
      msgFormat: section.msgFormat,
      chat: async (chatId) => (await this.#read()).chat(chatId),
      workspaceFolder: context.workspaceFolder,
    });
    this.#delivering = new Delivering({
      signal,
      isStreaming: false,
      grow: () => Promise.resolve([]),
      finish: (delivery, either) => this.#deliveries.finish(delivery, either),
      settle: () => Promise.resolve(),
      errorOf: (error) => {
        this.#admittance.note(error);
        return deliveryErrorOf(error);
      },
    });
  }

  async run(): Promise<void> {
    const run = (signal: AbortSignal): Promise<void> => this.#runUntilStopped(signal);
    await reportedRun(this.#context, run, this.#admittance);
  }

  deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryReceipt> {
    return this.#delivering.deliver(delivery, signal);
  }

  lookUp(delivery: Delivery, signal: AbortSignal): Promise<LookUp> {
    const look = (): Promise<LookUp> => Promise.resolve(this.#deliveries.lookUp(delivery));
    return this.#delivering.lookUp(delivery, signal, look);
  }

  async #runUntilStopped(signal: AbortSignal): Promise<void> {
    const [missing] = manifest.missing(this.#section);
    if (missing !== undefined) throw new QqCredentialsError(missing);
    const context = this.#context;
    const progress = await this.#read();
    await using receiving = new Receiving({
      section: this.#section,
      context: { ...context, signal },
      link: this.#link,
      progress,
      replies: this.#replies,
      acknowledge: (message) => this.#acknowledge(message, signal),
    });
    receiving.resume();
    await keepConnection({
      link: this.#link,
      api: this.#api,
      clock: context.clock,
      random: context.random,
      progress,
      report: (state) => context.report(state),
      onConnect: () => receiving.beginAnew(),
      onRead: () => receiving.onRead(),
      onEvent: (type, data) => receiving.onEvent(type, data),
    }, signal);
  }

  #read(): Promise<Progress> {
    return this.#progress ??= this.#context.readCursor().then((stored) => new Progress(stored));
  }

  /** One answer of few; it counts, and is not tried again. */
  async #acknowledge(message: QqMessage, signal: AbortSignal): Promise<void> {
    const { id: messageId, chatId } = message;
    const sequence = sequenceOf({ key: `acknowledgement ${messageId}`, part: 0, attempt: 0 });
    const body = { kind: "text", text: this.#section.ackMessage, isMarkdown: false } as const;
    this.#replies.count(chatId, messageId);
    await this.#sender.send(placeIn(chatId, message), body, { messageId, sequence }, signal);
  }
}
