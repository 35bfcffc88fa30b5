/**
 * Takes messages in: admission, then the durable hand-in, each chat's one after the other. What
 * takes time comes after that.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import type { ChannelInbound, HandInResult } from "../../channel.ts";
import { TakenOnce, tryHandIn } from "../../handing_in.ts";
import { KeyedTurns } from "../../keyed_turns.ts";
import { Lateness } from "../../lateness.ts";
import { Strangers } from "../../strangers.ts";
import { isMessageEvent, type QqMessage, readMessage } from "../wire.ts";
import { admit } from "./admission.ts";
import { type Contents, draftOf } from "./contents.ts";
import { commandIn, inboundOf } from "./message.ts";

const logger = getLogger(["troupe", "qq", "receiver"]);

/** What a receiver needs. */
export interface ReceiverOptions {
  readonly allowFrom: readonly string[];
  readonly clock: Clock;
  readonly contents: Pick<Contents, "atOnce">;
  /** Resolves when the message is durable. */
  readonly handIn: (inbound: ChannelInbound) => Promise<HandInResult>;
  /** A message is in the journal; `saidMs` is when it was written, by our clock. */
  readonly onTaken: (message: QqMessage, saidMs: number) => void;
  /** A new message was accepted; it may be a draft. */
  readonly onAccepted: (inbound: ChannelInbound, message: QqMessage) => void;
  readonly signal: AbortSignal;
}

/** Judges messages and hands them in. */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #turns = new KeyedTurns();
  readonly #once = new TakenOnce();
  readonly #strangers: Strangers;
  readonly #lateness = new Lateness();
  /** One could not be taken in: those that wait behind it must not overtake it. */
  #isHeld = false;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    const { allowFrom } = options;
    const key = "channels.qq.allowFrom";
    this.#strangers = new Strangers({ logger, key, allowFrom, ids: "openids" });
  }

  /** Everything that was not taken comes again from here on. */
  beginAnew(): void {
    this.#isHeld = false;
  }

  /** Takes an event. @returns whether it need not come again */
  async receive(type: string, data: unknown): Promise<boolean> {
    if (!isMessageEvent(type)) return true;
    const message = readMessage(type, data);
    if (message === null) {
      logger.warn("Ignored a message of unknown shape");
      return true;
    }
    const admission = admit(message, this.#options.allowFrom);
    switch (admission.verdict) {
      case "ignored":
        logger.debug("Ignored a message: {reason}", { reason: admission.reason });
        return true;
      case "stranger":
        this.#strangers.note(admission.senderId);
        return true;
      case "admitted":
        return await this.#inTurn(message);
    }
  }

  #inTurn(message: QqMessage): Promise<boolean> {
    return this.#turns.run(message.chatId, async () => {
      if (this.#isHeld || this.#options.signal.aborted) return false;
      const isTaken = await this.#once.take(message.id, () => this.#take(message));
      if (!isTaken) this.#isHeld = true;
      return isTaken;
    });
  }

  async #take(message: QqMessage): Promise<boolean> {
    const { clock, contents, handIn, onTaken, onAccepted } = this.#options;
    const nowMs = clock.now();
    const lateMs = this.#lateness.of(String(Date.parse(message.timestamp)), nowMs);
    const command = commandIn(message);
    if (command !== null && lateMs > 0) {
      logger.warn("Ignored a command: it came {lateMs} ms late", { lateMs });
      return true;
    }
    const saidMs = nowMs - lateMs;
    const received = { message, lateMs };
    const base = inboundOf(received, saidMs);
    const whole = command === null ? contents.atOnce(received) : { content: command, media: [] };
    const inbound: ChannelInbound = whole === null
      ? { ...base, content: "", media: [], draft: draftOf(received) }
      : { ...base, ...whole };
    // Known before anything can answer it.
    onTaken(message, saidMs);
    const result = await tryHandIn(handIn, inbound, logger);
    if (result === "accepted") onAccepted(inbound, message);
    return result !== "refused";
  }
}
