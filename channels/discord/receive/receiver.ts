/**
 * Takes messages in: admission, the place they stand in, then the durable hand-in. What takes time
 * comes after that.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type { Clock } from "../../../actors/kernel/clock.ts";
import type { ChannelInbound, HandInResult } from "../../channel.ts";
import { TakenOnce, tryHandIn } from "../../handing_in.ts";
import { KeyedTurns } from "../../keyed_turns.ts";
import { Lateness } from "../../lateness.ts";
import { Strangers } from "../../strangers.ts";
import type { ReadChannel } from "../gateway/progress.ts";
import { timeOfId } from "../ids.ts";
import { type Message, messageSchema } from "../wire.ts";
import { type AdmissionRules, admit } from "./admission.ts";
import type { Completer } from "./completer.ts";
import type { Places, Whereabouts } from "./places.ts";
import { commandIn, type ConversationRules, inboundOf, type Received } from "./received.ts";

const logger = getLogger(["troupe", "discord", "receiver"]);

/** What a receiver needs. */
export interface ReceiverOptions extends AdmissionRules, ConversationRules {
  readonly allowChannels: readonly string[];
  readonly clock: Clock;
  readonly places: Places;
  readonly completer: Pick<Completer, "contentsAtOnce" | "draftOf">;
  /** Resolves when the message is durable. */
  readonly handIn: (inbound: ChannelInbound) => Promise<HandInResult>;
  /** A new message was accepted; it may be a draft. */
  readonly onAccepted: (inbound: ChannelInbound, channelId: string) => void;
  /** A message of a channel that counts need not come again. */
  readonly onRead: (channel: ReadChannel) => void;
  readonly signal: AbortSignal;
}

/** What was said while nobody listened is looked for that far back. */
export const MISSED_MS_MAX: number = 24 * 3_600_000;

const rawSchema = z.record(z.string(), z.json());

/** A message that is for the bot. */
type Admitted = Pick<Received, "message" | "raw">;

/** Judges messages and hands them in, each channel's one after the other. */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #turns = new KeyedTurns();
  readonly #once = new TakenOnce();
  readonly #strangers: Strangers;
  readonly #lateness = new Lateness(MISSED_MS_MAX);
  /** One could not be taken in: those that wait behind it must not overtake it. */
  #isHeld = false;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    const { allowFrom } = options;
    const key = "channels.discord.allowFrom";
    this.#strangers = new Strangers({ logger, key, allowFrom, ids: "user ids" });
  }

  /** Everything that was not taken comes again from here on. */
  beginAnew(): void {
    this.#isHeld = false;
  }

  /**
   * Takes one message, as it came, behind those of its channel that came before.
   *
   * @returns whether it need not come again
   */
  async receive(data: unknown): Promise<boolean> {
    const admitted = this.#admit(data);
    if (admitted === null) return true;
    return await this.inTurn(admitted.message.channel_id, () => this.#takeOnce(admitted));
  }

  /** The same, for work that has its turn already. */
  async receiveInTurn(data: unknown): Promise<boolean> {
    const admitted = this.#admit(data);
    return admitted === null || await this.#takeOnce(admitted);
  }

  /** Runs `work` when what came before it in a channel was taken; false when that was refused. */
  inTurn(channelId: string, work: () => Promise<boolean>): Promise<boolean> {
    return this.#turns.run(channelId, async () => {
      if (this.#isHeld || this.#options.signal.aborted) return false;
      const isTaken = await work();
      if (!isTaken) this.#isHeld = true;
      return isTaken;
    });
  }

  #admit(data: unknown): Admitted | null {
    const raw = rawSchema.safeParse(data);
    const message = messageSchema.safeParse(data);
    if (!raw.success || !message.success) {
      logger.warn("Ignored a message of unknown shape");
      return null;
    }
    const admission = admit(message.data, this.#options);
    switch (admission.verdict) {
      case "ignored":
        logger.debug("Ignored a message: {reason}", { reason: admission.reason });
        return null;
      case "stranger":
        this.#strangers.note(admission.senderId);
        return null;
      case "admitted":
        return { message: message.data, raw: raw.data };
    }
  }

  #takeOnce(admitted: Admitted): Promise<boolean> {
    return this.#once.take(admitted.message.id, () => this.#take(admitted));
  }

  async #take({ message, raw }: Admitted): Promise<boolean> {
    const { id, channel_id: channelId, guild_id: guildId } = message;
    const place = await this.#placeOf(message);
    if (place === null) return false;
    const { chatId, threadId } = place;
    const { allowChannels, botId, clock } = this.#options;
    const isAllowedHere = allowChannels.length === 0 || allowChannels.includes(channelId) ||
      allowChannels.includes(chatId);
    if (!isAllowedHere) {
      logger.debug("Ignored a message: channel {channelId} is not allowed", { channelId });
      return true;
    }
    const lateMs = this.#lateness.of(String(timeOfId(id)), clock.now());
    if (lateMs > 0 && commandIn(message, botId) !== null) {
      logger.warn("Ignored the command {id}: it came {lateMs} ms late", { id, lateMs });
      return true;
    }
    if (!await this.#handIn({ message, raw, place, lateMs })) return false;
    this.#options.onRead({
      channelId,
      guildId,
      parentId: threadId === null ? null : chatId,
      messageId: id,
    });
    return true;
  }

  /** Null when the platform cannot tell just now. */
  async #placeOf(
    { channel_id: channelId, guild_id: guildId }: Message,
  ): Promise<Whereabouts | null> {
    if (guildId === null) return { chatId: channelId, threadId: null };
    const { places, signal } = this.#options;
    try {
      return await places.find(channelId, signal);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn("Cannot tell whether {channelId} is a thread: {reason}", { channelId, reason });
      return null;
    }
  }

  async #handIn(received: Received): Promise<boolean> {
    const { completer } = this.#options;
    const base = inboundOf(received, this.#options);
    const contents = completer.contentsAtOnce(received);
    const inbound: ChannelInbound = contents === null
      ? { ...base, content: "", media: [], draft: completer.draftOf(received) }
      : { ...base, ...contents };
    const { handIn, onAccepted } = this.#options;
    const result = await tryHandIn(handIn, inbound, logger);
    if (result === "accepted") onAccepted(inbound, received.message.channel_id);
    return result !== "refused";
  }
}
