/**
 * Takes message events in: admission, a quick look for duplicates, then the durable hand-in. What
 * takes time comes after that.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import type { ChannelInbound, HandInResult } from "../../channel.ts";
import { TakenOnce, tryHandIn } from "../../handing_in.ts";
import { messageEventSchema } from "../wire.ts";
import { type AdmissionRules, admit } from "./admission.ts";
import type { Completer } from "./completer.ts";
import { Lateness } from "../../lateness.ts";
import { Strangers } from "../../strangers.ts";
import { commandIn, type ConversationRules, inboundOf, type ReceivedMessage } from "./message.ts";
import type { People } from "./people.ts";

const logger = getLogger(["troupe", "feishu", "receiver"]);

/** What a receiver needs. */
export interface ReceiverOptions extends AdmissionRules, ConversationRules {
  readonly clock: Clock;
  readonly people: Pick<People, "learn">;
  readonly completer: Pick<Completer, "contentsAtOnce" | "draftOf">;
  /** Resolves when the message is durable. */
  readonly handIn: (inbound: ChannelInbound) => Promise<HandInResult>;
  /** A new message was accepted; it may be a draft. */
  readonly onAccepted: (inbound: ChannelInbound) => void;
}

/** Judges and hands in the events of one connection after the other. */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #once = new TakenOnce();
  readonly #strangers: Strangers;
  readonly #lateness = new Lateness();

  constructor(options: ReceiverOptions) {
    this.#options = options;
    const { allowFrom } = options;
    const key = "channels.feishu.allowFrom";
    this.#strangers = new Strangers({ logger, key, allowFrom, ids: "open ids (ou_…)" });
  }

  /**
   * Takes one event; hand-ins start in the order of the calls.
   *
   * @returns whether the platform may forget the event
   */
  receive(event: unknown): Promise<boolean> {
    const parsed = messageEventSchema.safeParse(event);
    if (!parsed.success) {
      logger.warn("Ignored an event of unknown shape ({issues} faults)", {
        issues: parsed.error.issues.length,
      });
      return Promise.resolve(true);
    }
    const admission = admit(parsed.data, this.#options);
    switch (admission.verdict) {
      case "ignored":
        logger.debug("Ignored a message: {reason}", { reason: admission.reason });
        return Promise.resolve(true);
      case "stranger":
        this.#strangers.note(admission.senderId);
        return Promise.resolve(true);
      case "admitted":
        return this.#once.take(
          admission.message.event.message.message_id,
          () => this.#take(admission.message),
        );
    }
  }

  async #take(message: ReceivedMessage): Promise<boolean> {
    const { message_id: platformId, create_time: createTime } = message.event.message;
    const lateMs = this.#lateness.of(createTime, this.#options.clock.now());
    if (lateMs > 0 && commandIn(message) !== null) {
      logger.warn("Ignored the command {platformId}: it came {lateMs} ms late", {
        platformId,
        lateMs,
      });
      return true;
    }
    const inbound = this.#inboundOf(message, lateMs);
    const { handIn, onAccepted } = this.#options;
    const result = await tryHandIn(handIn, inbound, logger);
    if (result === "accepted") onAccepted(inbound);
    return result !== "refused";
  }

  #inboundOf(message: ReceivedMessage, lateMs: number): ChannelInbound {
    const { completer, people, botOpenId } = this.#options;
    for (const { id, name } of message.event.message.mentions) {
      if (id !== null && id.open_id !== botOpenId) people.learn(id.open_id, name);
    }
    const inbound = inboundOf(message, this.#options);
    const contents = completer.contentsAtOnce(message, lateMs);
    if (contents !== null) return { ...inbound, ...contents };
    const draft = completer.draftOf(message, lateMs);
    return { ...inbound, content: "", media: [], draft };
  }
}
