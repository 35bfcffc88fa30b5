/**
 * Takes presses of buttons in: who presses says what the button stands for, under the same checks
 * as a message of theirs.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { ChannelInbound, HandInResult } from "../../channel.ts";
import { tryHandIn } from "../../handing_in.ts";
import { saidBy } from "../choice_data.ts";
import { pressSchema } from "../wire.ts";
import type { BotName } from "./addressing.ts";
import { isListed } from "./admission.ts";
import { inboundOf } from "./message.ts";

const logger = getLogger(["troupe", "telegram", "presses"]);

/** What taking presses goes by. */
export interface PressesOptions {
  readonly bot: BotName;
  /** Runtime name of the channel. */
  readonly channel: string;
  /** As for messages. */
  readonly allowFrom: readonly string[];
  /** Resolves when the message is durable. */
  readonly handIn: (inbound: ChannelInbound) => Promise<HandInResult>;
  /** Tells Telegram that the press arrived, by the press's id; returns at once. */
  readonly acknowledge: (pressId: string) => void;
}

/** Judges and hands in presses. */
export class Presses {
  readonly #options: PressesOptions;

  constructor(options: PressesOptions) {
    this.#options = options;
  }

  /** Takes one press. @returns whether Telegram may forget it */
  async take(raw: unknown): Promise<boolean> {
    const press = pressSchema.safeParse(raw).data;
    if (press === undefined) {
      logger.debug("Ignored the press of a button that is not ours");
      return true;
    }
    const { id, from, message, data } = press;
    const { bot, allowFrom, handIn, acknowledge } = this.#options;
    const content = saidBy(data);
    const isTaken = content === null || from.is_bot || !isListed(from, allowFrom) ||
      await tryHandIn(handIn, {
          ...inboundOf({ ...message, from }, this.#options),
          // One word a person and question: a second press is none, whichever button it is.
          platformId: `press:${bot.id}:${message.chat.id}:${message.message_id}:${from.id}`,
          ...{ content, media: [] },
        }, logger) !== "refused";
    if (isTaken) acknowledge(id);
    return isTaken;
  }
}
