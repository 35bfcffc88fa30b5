/**
 * Takes messages in: admission, then the durable hand-in, in the order of arrival. What takes time
 * comes after that.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import type { ChannelInbound, HandInResult } from "../../channel.ts";
import { TakenOnce, tryHandIn } from "../../handing_in.ts";
import { KeyedTurns } from "../../keyed_turns.ts";
import { Lateness } from "../../lateness.ts";
import { Strangers } from "../../strangers.ts";
import { type RobotMessage, robotMessageSchema } from "../wire.ts";
import { type AdmissionRules, admit } from "./admission.ts";
import type { Contents } from "./contents.ts";
import { commandIn, inboundOf, type InboundRules } from "./message.ts";

const logger = getLogger(["troupe", "dingtalk", "receiver"]);

/** What a receiver needs. */
export interface ReceiverOptions extends AdmissionRules, InboundRules {
  readonly clock: Clock;
  readonly contents: Pick<Contents, "atOnce" | "draftOf">;
  /** Resolves when the message is durable. */
  readonly handIn: (inbound: ChannelInbound) => Promise<HandInResult>;
  /** A new message was accepted; it may be a draft. */
  readonly onAccepted: (inbound: ChannelInbound) => void;
}

/** Judges and hands in the messages of one robot. */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #strangers: Strangers;
  readonly #lateness = new Lateness();
  readonly #taken = new TakenOnce();
  /** Messages of one conversation keep their order. */
  readonly #turns = new KeyedTurns();

  constructor(options: ReceiverOptions) {
    this.#options = options;
    const { allowFrom } = options;
    const key = "channels.dingtalk.allowFrom";
    this.#strangers = new Strangers({ logger, key, allowFrom, ids: "staff ids" });
  }

  /**
   * Takes what a frame holds.
   *
   * @param deliveryId stands in for an id that the message lacks
   * @returns whether DingTalk may forget it
   */
  async take(data: string, deliveryId: string): Promise<boolean> {
    const message = messageIn(data);
    const platformId = message?.msgId || deliveryId;
    if (message === null || platformId === "") {
      logger.warn("Ignored a message that cannot be read");
      return true;
    }
    return await this.#taken.take(
      platformId,
      () => this.#turns.run(message.conversationId, () => this.#judge(message, platformId)),
    );
  }

  async #judge(message: RobotMessage, platformId: string): Promise<boolean> {
    const admission = admit(message, this.#options);
    switch (admission.verdict) {
      case "ignored":
        logger.debug("Ignored a message: {reason}", { reason: admission.reason });
        return true;
      case "stranger":
        this.#strangers.note(admission.senderId);
        return true;
      case "admitted":
        return await this.#handIn(message, platformId);
    }
  }

  async #handIn(message: RobotMessage, platformId: string): Promise<boolean> {
    const { clock, contents, handIn, onAccepted } = this.#options;
    const createdAt = message.createAt > 0 ? String(message.createAt) : "";
    const lateMs = this.#lateness.of(createdAt, clock.now());
    if (lateMs > 0 && commandIn(message) !== null) {
      logger.warn("Ignored a command: it came {lateMs} ms late", { lateMs });
      return true;
    }
    const received = { message, platformId, lateMs };
    const inbound = {
      ...inboundOf(message, platformId, this.#options),
      ...(contents.atOnce(received) ??
        { content: "", media: [], draft: contents.draftOf(received) }),
    };
    const result = await tryHandIn(handIn, inbound, logger);
    if (result === "accepted") onAccepted(inbound);
    return result !== "refused";
  }
}

function messageIn(data: string): RobotMessage | null {
  try {
    return robotMessageSchema.safeParse(JSON.parse(data)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
