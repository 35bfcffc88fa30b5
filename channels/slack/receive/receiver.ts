/**
 * Takes messages in: admission, a quick look for duplicates, then the durable hand-in. What takes
 * time comes after that.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import type { ChannelInbound, HandInResult } from "../../channel.ts";
import { TakenOnce, tryHandIn } from "../../handing_in.ts";
import { Strangers } from "../../strangers.ts";
import type { SlackMessage } from "../wire.ts";
import { type AdmissionRules, admit } from "./admission.ts";
import type { Completer } from "./completer.ts";
import type { ChannelMemory } from "./memory.ts";
import {
  commandIn,
  contextOf,
  platformIdOf,
  type ReceivedMessage,
  threadSession,
} from "./message.ts";

const logger = getLogger(["troupe", "slack", "receiver"]);

/** What a receiver needs. */
export interface ReceiverOptions extends Omit<AdmissionRules, "takesPart"> {
  /** Runtime name of the channel. */
  readonly channel: string;
  readonly clock: Clock;
  readonly memory: ChannelMemory;
  readonly completer: Pick<Completer, "contentsAtOnce" | "draftOf">;
  /** Resolves when the message is durable. */
  readonly handIn: (inbound: ChannelInbound) => Promise<HandInResult>;
  /** A new message was accepted; it may be a draft. */
  readonly onAccepted: (inbound: ChannelInbound) => void;
}

/** Below this nobody minds. */
const LATE_MS = 10 * 60_000;

/** Judges and hands in messages, one after the other. */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #once = new TakenOnce();
  readonly #strangers: Strangers;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    const { allowFrom } = options;
    const key = "channels.slack.allowFrom";
    this.#strangers = new Strangers({ logger, key, allowFrom, ids: "user ids (U…)" });
  }

  /**
   * Takes one message; hand-ins start in the order of the calls.
   *
   * @returns whether Slack may forget it
   */
  receive(message: SlackMessage): Promise<boolean> {
    const { memory } = this.#options;
    const takesPart = (channel: string, threadTs: string): boolean =>
      memory.takesPart(channel, threadTs);
    const admission = admit(message, { ...this.#options, takesPart });
    switch (admission.verdict) {
      case "ignored":
        logger.debug("Ignored a message: {reason}", { reason: admission.reason });
        return Promise.resolve(true);
      case "stranger":
        this.#strangers.note(admission.senderId);
        return Promise.resolve(true);
      case "admitted":
        // A mention comes twice, as a message and as a mention.
        return this.#once.take(platformIdOf(message), () => this.#take(admission.received));
    }
  }

  async #take(received: ReceivedMessage): Promise<boolean> {
    const { message } = received;
    const passedMs = Math.round(this.#options.clock.now() - Number(message.ts) * 1_000);
    const lateMs = passedMs >= LATE_MS ? passedMs : 0;
    if (lateMs > 0 && commandIn(received) !== null) {
      logger.warn("Ignored the command {platformId}: it came {lateMs} ms late", {
        platformId: platformIdOf(message),
        lateMs,
      });
      return true;
    }
    return await this.#handIn(this.#inboundOf(received, lateMs), received);
  }

  #inboundOf(received: ReceivedMessage, lateMs: number): ChannelInbound {
    const { completer, channel } = this.#options;
    const { message } = received;
    const sessionKey = threadSession(received, channel);
    const inbound = {
      platformId: platformIdOf(message),
      chatId: message.channel,
      senderId: message.user,
      context: contextOf(received),
      ...(sessionKey !== null && { sessionKey }),
    };
    const contents = completer.contentsAtOnce(received, lateMs);
    if (contents !== null) return { ...inbound, ...contents };
    return { ...inbound, content: "", media: [], draft: completer.draftOf(received, lateMs) };
  }

  async #handIn(inbound: ChannelInbound, received: ReceivedMessage): Promise<boolean> {
    const { memory, handIn, onAccepted } = this.#options;
    const { channel, ts } = received.message;
    memory.begin(channel, ts);
    const result = await tryHandIn(handIn, inbound, logger);
    if (result === "refused") return false;
    memory.taken(channel, ts);
    if (!received.isDirect) memory.join(channel, received.threadTs);
    if (result === "accepted") onAccepted(inbound);
    return true;
  }
}
